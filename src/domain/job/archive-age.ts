/** The shortest time between the end of a job and its move to the archive. */
export const LEAST_ARCHIVE_HOURS = 2;
