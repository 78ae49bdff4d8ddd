/** A pause that can be cut short, also in advance: a wake-up that comes before the pause ends it at once. */
export interface WakeableSleep {
  until(ms: number): Promise<void>;
  wake(): void;
}

export function createWakeableSleep(): WakeableSleep {
  let isAwake = false;
  let end: (() => void) | undefined;
  return {
    async until(ms) {
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = undefined;
      isAwake = false;
    },
    wake() {
      isAwake = true;
      end?.();
    },
  };
}
