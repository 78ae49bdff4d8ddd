import type { RunEvent } from '../../../domain/run/events.ts';
import { createPicture } from './view/picture.ts';
import type { Picture } from './view/picture.ts';

export function pictureOf(events: readonly RunEvent[]): Picture {
  const keeper = createPicture();
  for (const event of events) keeper.follow(event);
  return keeper.picture;
}
