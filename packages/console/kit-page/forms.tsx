import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Field } from '../src/kit/field.tsx';
import type { FileDraft } from '../src/kit/fields/field-draft.ts';
import type { FieldSpec } from '../src/kit/fields/field-spec.ts';
import { Fields } from '../src/kit/fields/fields.tsx';
import { FilesInput } from '../src/kit/fields/files-input.tsx';
import { SizeField } from '../src/kit/fields/size-field.tsx';
import { type FormState, useFormState } from '../src/kit/fields/use-form-state.ts';
import { FormError } from '../src/kit/forms/form-error.tsx';
import { PageButton } from '../src/kit/forms/page-button.tsx';
import { SearchInput } from '../src/kit/forms/search-input.tsx';
import { TextArea } from '../src/kit/text-area.tsx';
import { TextInput } from '../src/kit/text-input.tsx';
import { Full, Part, State } from './specimen.tsx';

/** The fields in which a user types, with their messages. */
export function Forms() {
  const [q, setQ] = useState('sunset');
  return (
    <>
      <Part name="Field with TextInput and TextArea">
        <State name="With a hint">
          <Full>
            <Field label="Name" hint="Letters, digits and “-”.">
              <TextInput defaultValue="box-a" />
            </Field>
          </Full>
        </State>
        <State name="With an error">
          <Full>
            <Field label="Address" error="This is not an address." hint="Such as 192.168.1.20:8188.">
              <TextInput defaultValue="box a" />
            </Field>
          </Full>
        </State>
        <State name="Empty, and disabled">
          <Full>
            <Field label="Reason">
              <TextInput placeholder="Shown to everyone who waits" />
            </Field>
          </Full>
          <Full>
            <Field label="Id">
              <TextInput defaultValue="box-a" disabled />
            </Field>
          </Full>
        </State>
        <State name="TextArea">
          <Full>
            <Field label="Character and instructions" hint="Markdown.">
              <TextArea defaultValue={'You paint.\nYou answer shortly.'} />
            </Field>
          </Full>
        </State>
      </Part>
      <Part name="SearchInput and PageButton">
        <State name="SearchInput with a word">
          <SearchInput label="Search names" value={q} onChange={setQ} />
        </State>
        <State name="PageButton">
          <PageButton
            id="add"
            label="Add a server"
            icon={Plus}
            command="switchyard mcp list"
            onClick={() => undefined}
          />
        </State>
      </Part>
      <Part name="Fields">
        <State name="One of each control">
          <Full>
            <FilledForm />
          </Full>
        </State>
        <State name="Each with its problem">
          <Full>
            <FaultyForm />
          </Full>
        </State>
      </Part>
      <Part name="SizeField">
        <State name="A ratio, and numbers beside it">
          <Full>
            <SizedForm />
          </Full>
        </State>
      </Part>
      <Part name="FilesInput">
        <State name="Two pictures, and room for more">
          <Full>
            <SeveralFiles />
          </Full>
        </State>
      </Part>
      <Part name="FormError">
        <State name="Refused, with the id of the request">
          <Full>
            <FormError
              error={
                new ApiError({
                  status: 409,
                  code: 'conflict',
                  message: 'There is already a server called box-a.',
                  requestId: '01kexample',
                })
              }
            />
          </Full>
        </State>
        <State name="Unreachable">
          <Full>
            <FormError error={new ConnectionError('unreachable', 'The gateway could not be reached.')} />
          </Full>
        </State>
      </Part>
    </>
  );
}

const spec = (name: string, more: Partial<FieldSpec> & Pick<FieldSpec, 'type'>): FieldSpec => ({
  name,
  label: name,
  description: null,
  required: false,
  multiline: false,
  hidden: false,
  choices: null,
  default: null,
  minimum: null,
  maximum: null,
  ...more,
});

function SeveralFiles() {
  const [files, setFiles] = useState<readonly FileDraft[]>([
    { fileId: 'kit-square', filename: 'square.png' },
    { fileId: 'kit-tall', filename: 'tall.png' },
  ]);
  return (
    <FilesInput
      parameter={spec('image', { type: 'file' })}
      label="Picture"
      files={files}
      onChange={setFiles}
    />
  );
}

const side = { type: 'integer', minimum: 16, maximum: 8_192, step: 8 } as const;
const sides = [
  spec('width', { ...side, default: 1_344 }),
  spec('height', { ...side, default: 768 }),
] as const;

function SizedForm() {
  const form = useFormState(sides);
  const [width, height] = sides;
  return <SizeField label="First frame: size" width={width} height={height} form={form} />;
}

const controls: FieldSpec[] = [
  spec('Prompt', {
    type: 'string',
    multiline: true,
    default: 'a lighthouse in fog',
    description: 'What to draw.',
  }),
  spec('Steps', { type: 'integer', minimum: 1, maximum: 50, default: 20 }),
  spec('Strength', { type: 'number', default: 0.75 }),
  spec('Seed', { type: 'integer', default: 42, sets: [{ node: '3', title: 'KSampler', input: 'seed' }] }),
  spec('Sampler', { type: 'choice', choices: ['euler', 'heun', 'dpmpp_2m'], default: 'euler' }),
  spec('Tiling', { type: 'boolean', default: true }),
  spec('Picture', { type: 'file' }),
  spec('Options', { type: 'json', default: '["a", "b"]' }),
];

function FilledForm() {
  return <Fields parameters={controls} form={useFormState(controls)} />;
}

const faulty: FieldSpec[] = [
  spec('Title', { type: 'string' }),
  spec('Width', { type: 'integer', minimum: 64, maximum: 4096, default: 17 }),
  spec('Ratio', { type: 'number', default: 'wide' }),
  spec('Mask', { type: 'file' }),
];

function FaultyForm() {
  const form = useFormState(faulty);
  useShownProblems(form);
  return <Fields parameters={faulty} idOf={(name) => `faulty-${name}`} form={form} />;
}

/** Shows the problems at once, as after a run was tried. */
function useShownProblems({ showProblems }: FormState): void {
  const show = useRef(showProblems);
  useEffect(() => show.current(), []);
}
