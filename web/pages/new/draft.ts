// What a user wrote on the page and has not saved in a project yet. It stays in this browser.
import { useCallback, useState } from 'react';

export interface Draft {
  task: string;
  model: string;
  maxSteps: string;
  /** Whose runner plans with its files; empty: a model here, with what is added. */
  project: string;
  /** Asked of that runner: under way, or it failed. */
  requestId?: string | undefined;
  /** The dry run that is under way, or that failed. */
  executionId?: string | undefined;
  /** Undefined until there is a plan. */
  yaml?: string | undefined;
  /** The plan as it came: what differs from it was written by hand. */
  planned?: string | undefined;
}

const KEY = 'millrace.new';
const NOTHING: Draft = { task: '', model: '', maxSteps: '10', project: '' };

function readDraft(): Draft {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, unknown>;
    const texts = Object.entries(kept).filter(([, value]) => typeof value === 'string');
    return { ...NOTHING, ...Object.fromEntries(texts) };
  } catch {
    return NOTHING;
  }
}

function keep(draft: Draft): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // The storage is full or switched off: the draft lives as long as the page.
  }
}

/** Another page begins a plan that this one shows. */
export function bringToPlan(part: Partial<Draft>): void {
  keep({ ...readDraft(), ...part });
}

export type ChangeDraft = (change: Partial<Draft>) => void;

export function useDraft(): [Draft, ChangeDraft] {
  const [draft, setDraft] = useState(readDraft);
  const change = useCallback<ChangeDraft>((part) => {
    setDraft((before) => {
      const after = { ...before, ...part };
      keep(after);
      return after;
    });
  }, []);
  return [draft, change];
}
