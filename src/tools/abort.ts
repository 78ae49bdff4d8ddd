// Why a client gave up on a call. A client that ran out of patience will ask again, so its execution
// continues; a person who stopped it wants it stopped. The protocol has no field for the difference, only
// the reason that the client gives: reading it wrong costs either a result or some tokens.
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type { ToolSettings } from './deps.ts';

const OUT_OF_TIME = /timed? ?-?out|deadline/i;

export function abortMeans(reason: unknown, onAbort: ToolSettings['onAbort']): 'detach' | 'cancel' {
  if (reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed) return 'detach';
  if (onAbort !== undefined) return onAbort;
  return typeof reason === 'string' && OUT_OF_TIME.test(reason) ? 'detach' : 'cancel';
}
