// Which models the team may use, what one call of them may cost, and whether requests are stored.
import { Pencil } from '../../../ui/icons.tsx';
import { useState } from 'react';
import type { Team, TeamSettings } from '../../../../src/contract/teams-api.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../session/rights.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, Field, Input, TextArea } from '../../../ui/field.tsx';
import { formatDollars } from '../../../ui/format.ts';
import { Card, CardHead } from '../../../ui/surface.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { problemOf, useChange } from '../use-change.ts';

/** One a line, or separated by commas. */
const patternsIn = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');

/** The server names a pattern by its place in the list. */
function patternProblem(error: unknown, patterns: readonly string[]): string | undefined {
  const at = patterns.findIndex((_, index) => problemOf(error, `settings.allowedModels.${index}`));
  if (at < 0) return problemOf(error, 'settings.allowedModels');
  return `"${patterns[at]}" ${problemOf(error, `settings.allowedModels.${at}`)}`;
}

function RulesDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const { allowedModels, maxCallCostUsd, storeModelCalls } = team.settings;
  const [models, setModels] = useState((allowedModels ?? []).join('\n'));
  const [cost, setCost] = useState(maxCallCostUsd == null ? '' : String(maxCallCostUsd));
  const [stores, setStores] = useState(storeModelCalls === true);
  const patterns = patternsIn(models);
  const save = useChange({
    change: (settings: TeamSettings) => api.teams.update(team.id, { settings }),
    stale: ['teams'],
    said: () => 'The rules for models are saved.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Models of the team"
      lead="The rules hold for jobs, executions and the model endpoint, from the next call on."
      action="Save"
      busy={save.isPending}
      onClose={onClose}
      onSubmit={() =>
        save.mutate({
          allowedModels: patterns.length === 0 ? null : patterns,
          maxCallCostUsd: cost.trim() === '' ? null : Number(cost),
          storeModelCalls: stores,
        })
      }
    >
      <Field
        label="Allowed models"
        hint="One a line; * stands for any characters. Empty allows all models."
        problem={patternProblem(save.error, patterns)}
      >
        {(props) => (
          <TextArea
            {...props}
            rows={4}
            spellCheck={false}
            className="font-mono text-xs"
            placeholder={'claude-*\ngpt-*'}
            value={models}
            onChange={(event) => setModels(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Most that one job or call may cost, in dollars"
        hint="What could cost more is refused. Empty for no limit."
        problem={problemOf(save.error, 'settings.maxCallCostUsd')}
      >
        {(props) => (
          <Input
            {...props}
            type="number"
            min={0}
            step="any"
            value={cost}
            onChange={(event) => setCost(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-col gap-1">
        <Checkbox
          label="Store requests through the model endpoint"
          checked={stores}
          onChange={(event) => setStores(event.target.checked)}
        />
        <p className="ml-6 text-xs text-soft">
          Prompts are then shown with their calls, and kept as long as jobs are. Answers are kept
          either way.
        </p>
      </div>
    </FormDialog>
  );
}

export function ModelRules({ team }: { team: Team }) {
  const mayManage = useMay('manage');
  const [isOpen, setOpen] = useState(false);
  const { allowedModels, maxCallCostUsd, storeModelCalls } = team.settings;
  return (
    <Card className="mb-6">
      <CardHead title="Models">
        {mayManage ? (
          <Button
            size="small"
            icon={<Pencil />}
            aria-label="Change the rules for models"
            onClick={() => setOpen(true)}
          >
            Change
          </Button>
        ) : null}
      </CardHead>
      <dl className="grid gap-x-8 gap-y-3 px-4 py-3 text-sm sm:grid-cols-3">
        <div className="min-w-0">
          <dt className="text-xs text-faint">Allowed models</dt>
          <dd className="mt-0.5 [overflow-wrap:anywhere]">
            {allowedModels ? allowedModels.join(', ') || 'None' : 'All'}
          </dd>
        </div>
        <div>
          <dt className="text-xs text-faint">Most that one job or call may cost</dt>
          <dd className="mt-0.5">
            {maxCallCostUsd == null ? 'No limit' : formatDollars(maxCallCostUsd)}
          </dd>
        </div>
        <div>
          <dt className="text-xs text-faint">Requests through the model endpoint</dt>
          <dd className="mt-0.5">{storeModelCalls ? 'Stored' : 'Not stored'}</dd>
        </div>
      </dl>
      {isOpen ? <RulesDialog team={team} onClose={() => setOpen(false)} /> : null}
    </Card>
  );
}
