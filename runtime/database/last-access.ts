/** Somebody is there now; of two times of access the later one counts. */
export const ACCESSED_NOW =
  'last_access_at = CASE WHEN last_access_at > {now} THEN last_access_at ELSE {now} END';
