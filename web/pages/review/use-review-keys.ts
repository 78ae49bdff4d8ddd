// The whole review by keyboard, close to the keys of `git add -p`.
import { useEffect, useRef } from 'react';
import { usePageKeys } from '../../ui/page-keys.ts';

export interface ReviewKeys {
  step(by: 1 | -1): void;
  stepFile(by: 1 | -1): void;
  decide(decision: 'accepted' | 'rejected'): void;
  undecide(): void;
  decideFile(decision: 'accepted' | 'rejected'): void;
  split(): void;
  comment(): void;
  viewed(): void;
  finish(): void;
}

const READING = [
  { keys: ['j'], label: 'Next hunk' },
  { keys: ['k'], label: 'Previous hunk' },
  { keys: [']'], label: 'Next file' },
  { keys: ['['], label: 'Previous file' },
  { keys: ['↓'], label: 'From a hunk into its lines, and on' },
];
const DECIDING = [
  ...READING,
  { keys: ['y'], label: 'Accept the hunk' },
  { keys: ['n'], label: 'Reject the hunk' },
  { keys: ['u'], label: 'Take back what was said about the hunk' },
  { keys: ['a'], label: 'Accept all of the file' },
  { keys: ['d'], label: 'Reject all of the file' },
  { keys: ['s'], label: 'Split the hunk, or join its parts' },
  { keys: ['c'], label: 'Comment on the lines' },
  { keys: ['v'], label: 'File viewed, on to the next' },
  { keys: ['f'], label: 'Finish the review' },
];
/** How long `g` waits for the letter of a page; see the shortcuts of the dashboard. */
const PREFIX_MS = 1500;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/** From a hunk to its first line, and from line to line; with Shift the lines in between are chosen. */
function moveAmongLines(event: KeyboardEvent, onRange: (lines: HTMLElement[]) => void): boolean {
  const at = document.activeElement;
  if (!(at instanceof HTMLElement)) return false;
  const isLine = at.dataset['line'] !== undefined;
  if (!isLine && (at.dataset['unit'] === undefined || event.key === 'ArrowUp')) return false;
  const all = [...document.querySelectorAll<HTMLElement>('main [data-line], main [data-unit]')];
  const next = all[all.indexOf(at) + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
  onRange(event.shiftKey ? [at, next] : []);
  return true;
}

export function useReviewKeys(
  keys: ReviewKeys,
  { mayDecide, onLines }: { mayDecide: boolean; onLines: (lines: HTMLElement[]) => void },
): void {
  usePageKeys(mayDecide ? DECIDING : READING);
  const latest = useRef({ keys, mayDecide, onLines });
  latest.current = { keys, mayDecide, onLines };
  useEffect(() => {
    let prefixAt = -Infinity;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (isTyping(event.target) || document.querySelector('[role=dialog], [role=menu]')) return;
      const isAfterPrefix = event.timeStamp - prefixAt < PREFIX_MS;
      prefixAt = event.key === 'g' ? event.timeStamp : -Infinity;
      if (isAfterPrefix) return;
      const { keys: own, mayDecide: may, onLines: choose } = latest.current;
      const reading: Record<string, () => unknown> = {
        j: () => own.step(1),
        k: () => own.step(-1),
        ']': () => own.stepFile(1),
        '[': () => own.stepFile(-1),
      };
      const deciding: Record<string, () => unknown> = {
        y: () => own.decide('accepted'),
        n: () => own.decide('rejected'),
        u: () => own.undecide(),
        a: () => own.decideFile('accepted'),
        d: () => own.decideFile('rejected'),
        s: () => own.split(),
        c: () => own.comment(),
        v: () => own.viewed(),
        f: () => own.finish(),
      };
      const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp';
      if (isArrow && moveAmongLines(event, choose)) return event.preventDefault();
      if (event.shiftKey && event.key.length > 1) return;
      const act = reading[event.key] ?? (may ? deciding[event.key] : undefined);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
