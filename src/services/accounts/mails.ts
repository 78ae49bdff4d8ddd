// Mail that goes out behind the answer to a request: a slow or dead mail server delays and fails nothing.
// What waits is kept in memory only, because it holds links that let people in. A mail that is lost with its
// process can be asked for again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MailText } from '../../domain/accounts/mail-texts.ts';
import type { Logger } from '../../platform/log.ts';
import { isAboutRecipient, mayComeThrough } from '../../platform/mail.ts';
import type { Mailer } from '../../platform/mail.ts';

export interface Mails {
  /** Whether this server sends any. */
  canSend: boolean;
  /** False when it is known not to arrive: there is no mail server, or it does not take anything. */
  send(to: string, mail: MailText): boolean;
  /** Does something behind the answer; how it ends shows nowhere but in the log. */
  behind(what: string, work: () => Promise<void>): void;
  close(): Promise<void>;
}

const WAITS_MS = [5_000, 60_000];
/** A mail server that says nothing must not collect requests until the memory is full. */
const MAX_UNDER_WAY = 200;
/** What is on its way when the server stops has this long to arrive. */
const CLOSE_MS = 3_000;

export function createMails(deps: {
  mailer: Mailer | undefined;
  log: Logger;
  waitsMs?: readonly number[];
}): Mails {
  const { mailer, log, waitsMs = WAITS_MS } = deps;
  const underWay = new Set<Promise<void>>();
  const stop = new AbortController();
  let isFailing = false;

  function behind(what: string, work: () => Promise<void>): boolean {
    if (underWay.size >= MAX_UNDER_WAY) {
      log.warn(`too much mail is under way; left out: ${what}`);
      return false;
    }
    const running = work()
      .catch((error: unknown) => log.warn({ err: error }, `${what} failed`))
      .finally(() => underWay.delete(running));
    underWay.add(running);
    return true;
  }

  async function deliver(to: string, mail: MailText): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await mailer!.send({ to, ...mail });
        isFailing = false;
        return;
      } catch (error) {
        isFailing = !isAboutRecipient(error);
        const waitMs = waitsMs[tries];
        if (waitMs === undefined || !mayComeThrough(error) || stop.signal.aborted) throw error;
        log.warn({ err: error, waitMs }, 'cannot send mail; trying again');
        // Woken by the stop, it tries once more.
        await sleep(waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  }

  return {
    canSend: mailer !== undefined,
    send(to, mail) {
      if (mailer === undefined) return false;
      const wasFailing = isFailing;
      return behind('sending mail', () => deliver(to, mail)) && !wasFailing;
    },
    behind: (what, work) => void behind(what, work),
    async close() {
      stop.abort();
      await Promise.race([
        Promise.allSettled(underWay),
        sleep(CLOSE_MS, undefined, { ref: false }),
      ]);
    },
  };
}
