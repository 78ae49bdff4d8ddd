import type { Scene } from './play.ts';

const HUGE = 10_000_000;

// What a reader of server-sent events has to skip: comments, fields that it does not know, control
// characters, bytes that are no UTF-8 and an event without data.
const GARBAGE = Buffer.concat([
  Buffer.from(': \u0000\u0001 noise\nmill-pond: 3\nno colon at all\n'),
  Buffer.from([0x3a, 0x20, 0xff, 0xfe, 0xc3, 0x28, 0x0a]),
  Buffer.from('retry: soon\nevent: nothing\n\n\n\n'),
]);

/** Plays the fault that belongs between two pieces of text. */
export async function strike({ line, wire, options, act }: Scene): Promise<'over' | 'go on'> {
  switch (act) {
    case 'hang-mid-stream':
      await line.untilGone();
      return 'over';
    case 'reset-mid-stream':
      await line.reset();
      return 'over';
    case 'cut-mid-stream':
      await line.cut();
      return 'over';
    case 'early-end':
      line.end(false);
      return 'over';
    case 'half-json': {
      const event = wire.piece('half of this');
      await line.write(event.slice(0, event.indexOf('half') + 4));
      line.end(false);
      return 'over';
    }
    case 'error-event':
      await line.write(wire.failure(options.error ?? 'overloaded'));
      line.end(false);
      return 'over';
    case 'bad-json':
      await line.write('data: {"type": "content_block_delta", \n\n');
      return 'go on';
    case 'bad-shape':
      await line.write(wire.badShape());
      return 'go on';
    case 'garbage':
      await line.write(GARBAGE);
      return 'go on';
    case 'huge-line':
      await line.write(wire.piece('x'.repeat(options.size ?? HUGE)));
      return 'go on';
    // The others have their place elsewhere in the exchange.
    case 'hang-before-headers':
    case 'hang-before-first-chunk':
    case 'reset-before-headers':
    case 'reset-after-headers':
    case 'html-200':
    case 'empty-200':
    case 'error-200':
    case 'slow-drip':
    case 'redirect':
    case 'gzip':
    case 'concurrency':
    case undefined:
      return 'go on';
  }
}
