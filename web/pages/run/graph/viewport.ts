// Which part of the graph is looked at, and how large. Pure: the page decides when.
export interface Size {
  width: number;
  height: number;
}

/** Where the corner of the graph is on the page, in pixels of the page. */
export interface View {
  x: number;
  y: number;
  zoom: number;
}

export interface Box extends Size {
  x: number;
  y: number;
}

export const ZOOM = { least: 0.1, most: 1.5 } as const;
/** Smaller than this nobody can read a name; on a phone, held further away, sooner. */
const LEAST_TO_READ = { wide: 0.35, narrow: 0.8 } as const;
const NARROW = 500;
const MARGIN = 24;

const within = (value: number, least: number, most: number) =>
  Math.min(most, Math.max(least, value));

/** In the middle when it fits; otherwise from where it begins. */
export function fit(graph: Size, frame: Size): View {
  const wide = (frame.width - 2 * MARGIN) / Math.max(1, graph.width);
  const high = (frame.height - 2 * MARGIN) / Math.max(1, graph.height);
  const least = frame.width < NARROW ? LEAST_TO_READ.narrow : LEAST_TO_READ.wide;
  const zoom = within(Math.min(wide, high), least, 1);
  const place = (inside: number, outside: number) =>
    Math.max(MARGIN, (outside - inside * zoom) / 2);
  return { x: place(graph.width, frame.width), y: place(graph.height, frame.height), zoom };
}

/** What is under the point stays there. */
export function zoomAt(view: View, factor: number, point: { x: number; y: number }): View {
  const zoom = within(view.zoom * factor, ZOOM.least, ZOOM.most);
  const by = zoom / view.zoom;
  return { x: point.x - (point.x - view.x) * by, y: point.y - (point.y - view.y) * by, zoom };
}

/** In the units of the graph, with a little around it, so that moving shows no holes. */
export function seenPart(view: View, frame: Size): Box {
  const width = frame.width / view.zoom;
  const height = frame.height / view.zoom;
  return {
    x: -view.x / view.zoom - width / 8,
    y: -view.y / view.zoom - height / 8,
    width: width * 1.25,
    height: height * 1.25,
  };
}

export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Moves no further than it must to have all of the box in the frame. */
export function bringIntoView(view: View, box: Box, frame: Size): View {
  const shift = (at: number, length: number, room: number) => {
    if (at < MARGIN) return MARGIN - at;
    const over = at + length - (room - MARGIN);
    return over > 0 ? -over : 0;
  };
  const left = view.x + box.x * view.zoom;
  const top = view.y + box.y * view.zoom;
  return {
    ...view,
    x: view.x + shift(left, box.width * view.zoom, frame.width),
    y: view.y + shift(top, box.height * view.zoom, frame.height),
  };
}
