// Billing periods of a month, in UTC: each begins on the day of the anchor, or on the last day of a month that
// is too short for it. Counted from the anchor every time, so that one from the 31st comes back to the 31st.

export interface Period {
  start: Date;
  end: Date;
}

export function monthsAfter(anchor: Date, months: number): Date {
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const date = new Date(anchor);
  // The first: setting the month alone would run over into the next where the day is missing.
  date.setUTCFullYear(year, month, Math.min(anchor.getUTCDate(), lastDay));
  return date;
}

/** The period that `now` is in; the first one for a time before the anchor. */
export function periodAt(anchor: Date, now: Date): Period {
  const years = now.getUTCFullYear() - anchor.getUTCFullYear();
  let months = Math.max(0, years * 12 + now.getUTCMonth() - anchor.getUTCMonth());
  if (months > 0 && monthsAfter(anchor, months) > now) months -= 1;
  return { start: monthsAfter(anchor, months), end: monthsAfter(anchor, months + 1) };
}
