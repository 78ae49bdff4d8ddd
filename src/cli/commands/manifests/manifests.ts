// new, init, validate, plan, learn: work on a manifest. Only new asks a model.
import type { Command } from 'commander';
import type { Act } from '../../command.ts';
import { addInit } from './init.ts';
import { addLearn } from './learn.ts';
import { addNew } from './new.ts';
import { addPlan } from './plan.ts';
import { addValidate } from './validate.ts';

export function addManifests(program: Command, act: Act): void {
  addNew(program, act);
  addInit(program, act);
  addValidate(program, act);
  addPlan(program, act);
  addLearn(program, act);
}
