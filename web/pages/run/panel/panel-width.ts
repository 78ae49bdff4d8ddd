// How wide the panel is, chosen by its edge and kept in this browser.
import { useState } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';

const KEY = 'millrace.panel';
const LIMITS = { least: 360, most: 1200, usual: 576 } as const;
const STEP = 40;

const within = (width: number) =>
  Math.min(Math.max(width, LIMITS.least), LIMITS.most, window.innerWidth);

export function usePanelWidth() {
  const [width, setWidth] = useState(() =>
    within(Number(localStorage.getItem(KEY)) || LIMITS.usual),
  );
  const choose = (next: number) => {
    setWidth(within(next));
    localStorage.setItem(KEY, String(within(next)));
  };
  return {
    width,
    handle: {
      role: 'separator',
      tabIndex: 0,
      'aria-label': 'Width of the panel',
      'aria-orientation': 'vertical',
      'aria-valuenow': width,
      'aria-valuemin': LIMITS.least,
      'aria-valuemax': LIMITS.most,
      onPointerDown: (event: PointerEvent<HTMLElement>) =>
        event.currentTarget.setPointerCapture(event.pointerId),
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (event.buttons === 1) choose(window.innerWidth - event.clientX);
      },
      onKeyDown(event: KeyboardEvent<HTMLElement>) {
        if (event.key === 'ArrowLeft') choose(width + STEP);
        if (event.key === 'ArrowRight') choose(width - STEP);
      },
    },
  } as const;
}
