export const QUEUE = 'bench';

export interface Prompt {
  prompt: string;
  model: string;
}

export interface Answer {
  text: string;
}
