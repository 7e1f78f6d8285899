import { reasoningEfforts } from '../../../agents/models/requested-model.ts';
import { type RunKwargs, refusal } from './run-request.ts';

interface Form {
  fits: (value: unknown) => boolean;
  type: string;
  message: string;
}

const text: Form = {
  fits: (value) => typeof value === 'string',
  type: 'string_type',
  message: 'Input should be a valid string',
};
const flag: Form = {
  fits: (value) => typeof value === 'boolean',
  type: 'bool_type',
  message: 'Input should be a valid boolean',
};
const whole: Form = {
  fits: (value) => Number.isInteger(value),
  type: 'int_type',
  message: 'Input should be a valid integer',
};
const effort: Form = {
  fits: (value) => reasoningEfforts.some((each) => each === value),
  type: 'literal_error',
  message: `Input should be one of ${reasoningEfforts.map((each) => `'${each}'`).join(', ')}`,
};

const forms: Record<string, Form> = {
  model_name: text,
  thinking_enabled: flag,
  reasoning_effort: effort,
  is_plan_mode: flag,
  subagent_enabled: flag,
  max_concurrent_subagents: whole,
  is_bootstrap: flag,
};

/** Settings that the lead agent knows are obeyed or refused. Otherwise `"true"` would silently count as false. */
export function requireValidSettings({ context, config }: Pick<RunKwargs, 'context' | 'config'>): void {
  const places = [
    { path: ['context'], said: context },
    { path: ['config', 'configurable'], said: config.configurable ?? {} },
  ];
  for (const { path, said } of places) {
    for (const [key, { fits, type, message }] of Object.entries(forms)) {
      const input = said[key] ?? null;
      if (input !== null && !fits(input)) throw refusal({ path: [...path, key], type, message, input });
    }
  }
}
