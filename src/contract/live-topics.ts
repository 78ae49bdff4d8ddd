// What can be followed in one stream. Apart from the route, because pages need no schemas.

export const MAX_TOPICS = 20;

export const TOPIC_KINDS = ['team', 'run', 'job', 'execution'] as const;
export type TopicKind = (typeof TOPIC_KINDS)[number];

export interface Topic {
  kind: TopicKind;
  /** Empty for the team. */
  id: string;
  /** As it was asked for. */
  name: string;
}

/** Undefined for what is no topic. */
export function parseTopic(name: string): Topic | undefined {
  if (name === 'team') return { kind: 'team', id: '', name };
  const match = /^(run|job|execution):([A-Za-z0-9][A-Za-z0-9._:-]{0,127})$/.exec(name);
  return match ? { kind: match[1] as TopicKind, id: match[2]!, name } : undefined;
}
