// How many calls to make at once, learned from answers that ask to slow down: halved each time, one more
// after as many answers in a row as are allowed now.

export interface AdaptiveConcurrency {
  allowed(): number;
  slowDown(): void;
  answered(): void;
}

export function adaptiveConcurrency(most: number): AdaptiveConcurrency {
  let allowed = most;
  let inARow = 0;
  return {
    allowed: () => allowed,
    slowDown() {
      allowed = Math.max(1, Math.floor(allowed / 2));
      inARow = 0;
    },
    answered() {
      inARow += 1;
      if (inARow < allowed || allowed >= most) return;
      allowed += 1;
      inARow = 0;
    },
  };
}
