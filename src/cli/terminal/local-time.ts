// Times for people: on their clock, sortable, without a zone that would only repeat itself.

const two = (value: number) => String(value).padStart(2, '0');

/** `2026-11-15 19:46` on the clock of this machine. */
export function localTime(iso: string | Date): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return String(iso);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
