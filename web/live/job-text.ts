// The answer of a job as it is written.
import { useEffect, useState } from 'react';
import { subscribe } from './live.ts';
import type { LiveMessage } from './protocol.ts';

export interface JobText {
  text: string;
  status: string;
  isDone: boolean;
  refusal: string | undefined;
}

const NOTHING: JobText = { text: '', status: 'pending', isDone: false, refusal: undefined };
const FLUSH_MS = 100;

interface TextPart {
  text: string;
  offset: number;
  generation: number;
}

function follow(before: JobText, { event, data }: LiveMessage): JobText {
  switch (event) {
    case 'text': {
      const { text, offset } = data as TextPart;
      // A new writing starts over; a repeated part is written over itself.
      return { ...before, status: 'running', text: before.text.slice(0, offset) + text };
    }
    case 'status':
      return { ...before, status: (data as { status: string }).status };
    case 'done':
      return { ...before, status: (data as { status: string }).status, isDone: true };
    case 'refused':
      return { ...before, refusal: (data as { message: string }).message };
    default:
      return before;
  }
}

export function useJobText(jobId: string): JobText {
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    let current = NOTHING;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setShown(current);
    const off = subscribe(`job:${jobId}`, (messages) => {
      current = messages.reduce(follow, current);
      timer ??= setTimeout(() => {
        timer = undefined;
        setShown(current);
      }, FLUSH_MS);
    });
    return () => {
      clearTimeout(timer);
      off();
    };
  }, [jobId]);
  return shown;
}
