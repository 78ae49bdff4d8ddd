export const QUEUE = 'bench';

export interface Answer {
  text: string;
}
