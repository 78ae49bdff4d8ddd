/** A session ends this long after its last use. */
export const SESSION_IDLE_DAYS = 7;
/** And this long after it began, however much it is used. */
export const SESSION_TOTAL_DAYS = 30;
