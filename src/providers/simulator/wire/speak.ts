// Says a reply at the speed of its model, part by part.
import type { SimulatorClock } from '../clock.ts';
import type { Speed } from '../speed.ts';
import { streamTokens } from '../stream-tokens.ts';
import type { Segment } from './reply.ts';

export interface Part {
  /** Its place among all parts. */
  index: number;
  /** As far as it was said: text, or the arguments of a call. */
  text: string;
  call: { index: number; name: string; isFreeText: boolean } | undefined;
}

export interface Speaking {
  speed: Speed;
  /** Of all tokens together. */
  limit: number;
  clock: SimulatorClock;
  signal: AbortSignal;
}

export interface Listener {
  begin(part: Part): void;
  /** `output`: how many tokens of the whole are out by now. */
  piece(part: Part, delta: string, output: number): void;
  end(part: Part): void;
}

export interface Spoken {
  kind: 'end' | 'limit' | 'aborted';
  output: number;
  parts: Part[];
  /** The part that was cut: it has no end yet. */
  open: Part | undefined;
}

export async function speak(
  segments: readonly Segment[],
  how: Speaking,
  listener: Listener,
): Promise<Spoken> {
  const parts: Part[] = [];
  let output = 0;
  let calls = 0;
  for (const segment of segments) {
    const call =
      segment.kind === 'call'
        ? { index: calls++, name: segment.name, isFreeText: segment.isFreeText }
        : undefined;
    const part: Part = { index: parts.length, text: '', call };
    const begin = () => {
      if (parts.includes(part)) return;
      parts.push(part);
      listener.begin(part);
    };
    if (call !== undefined && output < how.limit) begin();
    const said = await streamTokens({
      ...how,
      tokens: segment.tokens,
      limit: how.limit - output,
      onText(delta, out) {
        begin();
        part.text += delta;
        listener.piece(part, delta, output + out);
      },
    });
    output += said.output;
    if (said.kind !== 'end') {
      return { kind: said.kind, output, parts, open: parts.includes(part) ? part : undefined };
    }
    if (parts.includes(part)) listener.end(part);
  }
  return { kind: 'end', output, parts, open: undefined };
}
