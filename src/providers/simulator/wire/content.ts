// The content of a message: a text, or a list of parts of many kinds.
import { isRecord, list, record, text } from './loose-json.ts';

export interface Content {
  texts: string[];
  images: number;
  isMarked: boolean;
}

/** Parts that are no text: pictures, sound, documents. Each counts as one image. */
const MEDIA = new Set([
  'image',
  'image_url',
  'input_image',
  'document',
  'file',
  'input_file',
  'input_audio',
  'video_url',
]);

export function readContent(content: unknown): Content {
  if (typeof content === 'string') return { texts: [content], images: 0, isMarked: false };
  const parts = list(content).map(record);
  return {
    texts: parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])),
    images: parts.filter(({ type }) => MEDIA.has(text(type))).length,
    isMarked: parts.some(({ cache_control }) => isRecord(cache_control)),
  };
}
