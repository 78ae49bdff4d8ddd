// The reader's draft in this tab: sent by the API, kept in the storage of the tab until it is, and shared with other tabs.
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Review, ReviewDraft } from '../../../src/contract/review-api.ts';
import { MillraceConnectionError, MillraceError } from '../../../src/client/index.ts';
import { chosenTeam } from '../../api/chosen-team.ts';
import { api } from '../../api/client.ts';
import { sessionFetch } from '../../api/session-fetch.ts';
import { goToLogin, isSignedOut } from '../../session/login.ts';
import { queryClient } from '../../session/query-client.ts';
import { toastError } from '../../ui/toast.tsx';
import { createDraftStore } from './model/draft-store.ts';
import type { DraftChanges, DraftStore, DraftView } from './model/draft-store.ts';

const CHANNEL = 'millrace.review';
/** What a browser sends after a page has gone is at most this long. */
const MOST_AFTER_PAGE = 60_000;

interface FromTab {
  approvalId: string;
  userId: string;
  draft: ReviewDraft;
}

const keyOf = (approvalId: string, userId: string) => `millrace.review.${userId}.${approvalId}`;

function readUnsent(key: string): DraftChanges | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as DraftChanges);
  } catch {
    return undefined;
  }
}

function writeUnsent(key: string, changes: DraftChanges | undefined): void {
  try {
    if (changes === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(changes));
  } catch {
    // Full or switched off: then only a reload while the server is away loses something.
  }
}

/** After a new sign-in what was not sent is still in the tab. */
const isPassing = (error: unknown) =>
  error instanceof MillraceConnectionError ||
  !(error instanceof MillraceError) ||
  error.status >= 500 ||
  error.status === 429 ||
  isSignedOut(error);

/** For what is said in the last moment: the browser sends it although the page has gone. */
function sendLast(approvalId: string, changes: DraftChanges): void {
  const body = JSON.stringify(changes);
  const teamId = chosenTeam();
  void sessionFetch(`/v1/approvals/${encodeURIComponent(approvalId)}/review/draft`, {
    method: 'PATCH',
    keepalive: body.length < MOST_AFTER_PAGE,
    headers: {
      'content-type': 'application/json',
      ...(teamId === undefined ? {} : { 'x-team-id': teamId }),
    },
    body,
  }).catch(() => undefined);
}

interface Opened {
  store: DraftStore;
  open(): () => void;
}

function openStore({ approvalId, draft }: Review, userId: string): Opened {
  const key = keyOf(approvalId, userId);
  let channel: BroadcastChannel | undefined;
  let isLeaving = false;
  const store = createDraftStore(draft, readUnsent(key), {
    async send(changes) {
      try {
        return await api.reviews.changeDraft(approvalId, changes);
      } catch (error) {
        if (isSignedOut(error)) {
          isLeaving = true;
          goToLogin();
        }
        throw error;
      }
    },
    isPassing,
    keep: (changes) => writeUnsent(key, changes),
    after(ms, act) {
      const timer = setTimeout(act, ms);
      return () => clearTimeout(timer);
    },
    onSaved: (saved) =>
      channel?.postMessage({ approvalId, userId, draft: saved } satisfies FromTab),
    onRefused(error) {
      toastError(error);
      void queryClient.invalidateQueries({ queryKey: ['approval', approvalId] });
    },
  });
  return {
    store,
    open() {
      channel = new BroadcastChannel(CHANNEL);
      channel.addEventListener('message', ({ data }: MessageEvent<FromTab>) => {
        if (data.approvalId === approvalId && data.userId === userId) store.receive(data.draft);
      });
      const leave = () => {
        const unsent = store.unsent();
        if (unsent !== undefined) sendLast(approvalId, unsent);
      };
      const warn = (event: BeforeUnloadEvent) => {
        if (store.view().sync === 'waiting' && !isLeaving) event.preventDefault();
      };
      addEventListener('pagehide', leave);
      addEventListener('beforeunload', warn);
      addEventListener('online', store.retryNow);
      return () => {
        removeEventListener('pagehide', leave);
        removeEventListener('beforeunload', warn);
        removeEventListener('online', store.retryNow);
        // To another page of the dashboard: what is left is sent from there.
        void store.flush().catch(() => undefined);
        channel?.close();
        channel = undefined;
      };
    },
  };
}

export function useDraft(review: Review, userId: string): [DraftStore, DraftView] {
  const [{ store, open }] = useState(() => openStore(review, userId));
  useEffect(open, [open]);
  useEffect(() => store.receive(review.draft), [store, review.draft]);
  return [store, useSyncExternalStore(store.subscribe, store.view)];
}
