import type { Answer } from './answer.ts';
import type { VendorCall } from './call-log.ts';
import type { Act } from './faults.ts';
import type { Line } from './line.ts';
import type { Options } from './options.ts';
import { strike } from './stream-faults.ts';
import type { Wire } from './wire/wire.ts';

export interface Scene {
  line: Line;
  call: VendorCall;
  wire: Wire;
  answer: Answer;
  options: Options;
  act: Act | undefined;
}

const DEFAULT_AFTER = 2;

/** Streams the answer, with the fault at its place. */
export async function play(scene: Scene): Promise<void> {
  const { line, wire, answer, options, act } = scene;
  await line.pause(options.headersDelay ?? 0);
  if (act === 'hang-before-headers') return line.untilGone();
  if (act === 'reset-before-headers') return line.reset();
  line.start(200, wire.headers);
  if (act === 'empty-200') return line.end(false);
  if (act === 'hang-before-first-chunk') return line.untilGone();
  if (act === 'reset-after-headers') return line.reset();
  await waitForFirst(scene);
  const faultAt = Math.min(options.after ?? DEFAULT_AFTER, answer.pieces.length);
  // A fault right at the start comes before anything else that the vendor would send.
  if (faultAt > 0 || act !== 'error-event') await line.write(wire.open());
  // Counted from the start, so that a thousand streams at a time do not slow each other down.
  const begin = performance.now();
  for (const [at, text] of answer.pieces.entries()) {
    if (at > 0 && options.pace) await line.pause(begin + at * options.pace - performance.now());
    if (at === faultAt && (await strike(scene)) === 'over') return;
    if (line.gone) return;
    await line.write(wire.piece(text));
    scene.call.pieces += 1;
    for (let n = options.unknown ?? 0; at === 0 && n > 0; n -= 1) await line.write(wire.unknown());
  }
  if (faultAt === answer.pieces.length && (await strike(scene)) === 'over') return;
  await line.write(wire.close());
  line.end(true);
}

async function waitForFirst({ line, wire, options }: Scene): Promise<void> {
  let left = options.firstDelay ?? 0;
  while (options.ping && left > options.ping && !line.gone) {
    await line.pause(options.ping);
    await line.write(wire.ping());
    left -= options.ping;
  }
  if (left > 0) await line.pause(left);
}
