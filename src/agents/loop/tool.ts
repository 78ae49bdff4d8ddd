// What a tool of the built-in agent is: how a model may call it, and what it does in the copy.
import { z } from 'zod';
import type { ToolSpec } from '../../contract/conversation-api.ts';
import type { PathProblem } from './tool-path.ts';
import type { Workbench } from './workbench.ts';

export interface ToolResult {
  text: string;
  isError?: true;
  /** Files of the copy are others now. */
  changed?: true;
  /** The last of the work, in the model's words. */
  done?: string;
}

export interface ToolWorld {
  bench: Workbench;
  /** The project's path, which is that of the copy inside. */
  folder: string;
  /** Why a file may not be written. */
  whyNotWritten(path: string): PathProblem | undefined;
  /** Never shown to a model, and no part of the project. */
  isHidden(path: string): boolean;
  /** What `run` may run. */
  commands: readonly string[];
  /** Undefined where nobody can be asked, or nobody has answered. */
  ask(question: string): Promise<string | undefined>;
  /** A write that was refused. */
  onRefused(path: string, why: string): void;
}

export interface Tool {
  spec: ToolSpec;
  /** It is done again where the copy is made anew. */
  hasEffects: boolean;
  /** One short line of what it is called with, for those who look on. */
  argument(args: unknown): string;
  run(args: unknown, world: ToolWorld): Promise<ToolResult>;
}

export const failed = (text: string): ToolResult => ({ text, isError: true });

export function defineTool<Shape extends z.ZodObject>(tool: {
  name: string;
  description: string;
  shape: Shape;
  hasEffects?: true;
  argument(args: z.infer<Shape>): string;
  run(args: z.infer<Shape>, world: ToolWorld): Promise<ToolResult>;
}): Tool {
  const { name, description, shape, hasEffects = false } = tool;
  const { $schema: _, ...parameters } = z.toJSONSchema(shape, { io: 'input' });
  return {
    spec: { name, description, parameters },
    hasEffects,
    argument(args) {
      const read = shape.safeParse(args);
      return read.success ? tool.argument(read.data) : '';
    },
    async run(args, world) {
      const read = shape.safeParse(args);
      if (read.success) return tool.run(read.data, world);
      const problems = read.error.issues.map(({ path, message }) => {
        const place = path.join('.');
        return place === '' ? message : `${place}: ${message}`;
      });
      return failed(`The arguments do not fit: ${problems.slice(0, 5).join('; ')}`);
    },
  };
}
