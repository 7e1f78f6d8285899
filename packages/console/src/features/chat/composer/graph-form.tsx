import type { AssistantSchemas } from '@switchyard/contract/conversation/assistant';
import type { RunCreate } from '@switchyard/contract/conversation/run';
import { Play, Square } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Fields } from '../../../kit/fields/fields.tsx';
import { type FormState, useFormState } from '../../../kit/fields/use-form-state.ts';
import { useText } from '../../../lib/i18n.ts';
import { fieldsOf, inputFields, takesMessages } from '../model/schema-fields.ts';
import type { ChosenGraph } from '../use-agent-choice.ts';
import { AgentMenu } from './agent-menu.tsx';
import { Composer, type ComposerProps } from './composer.tsx';

export interface GraphComposerProps extends Omit<ComposerProps, 'onSend'> {
  graph: ChosenGraph;
  /** True when the conversation has messages already. */
  isFollowUp: boolean;
  /** Sends the message of the draft; a graph also gets its settings. */
  onSend: (more: RunCreate) => void;
  /** Runs a graph that takes no message. */
  onRun: (input: unknown, more: RunCreate) => void;
}

/** Asks a graph: by a message with its settings, or by a form for its input. */
export function GraphForm({
  graph,
  schemas,
  isFollowUp,
  onSend,
  onRun,
  ...composer
}: GraphComposerProps & { schemas: AssistantSchemas }) {
  const { input_schema: inputSchema, context_schema: contextSchema } = schemas;
  const [settings] = useState(() => fieldsOf(contextSchema, graph.context));
  const [fields] = useState(() => inputFields(inputSchema));
  const told = useFormState(settings);
  const entered = useFormState(fields.list);
  const more = settings.length > 0 ? { context: told.params } : {};
  const settingsForm = settings.length > 0 ? <Settings fields={settings} form={told} /> : null;
  const isReady = (...forms: FormState[]): boolean => {
    for (const form of forms) form.showProblems();
    return forms.every(({ problems }) => problems.size === 0);
  };
  if (takesMessages(inputSchema)) {
    return (
      <>
        {settingsForm}
        <Composer {...composer} onSend={() => isReady(told) && onSend(more)} />
      </>
    );
  }
  return (
    <InputForm
      {...composer}
      isFollowUp={isFollowUp}
      onRun={() => {
        const isWhole = isReady(told, entered);
        if (isWhole) onRun(fields.inputOf(entered.params), more);
        return isWhole;
      }}
    >
      <Fields parameters={fields.list} form={entered} />
      {settingsForm}
    </InputForm>
  );
}

interface InputFormProps extends Pick<ComposerProps, 'choice' | 'onChoice' | 'onStop' | 'isSending'> {
  /** The thread has runs already. */
  isFollowUp: boolean;
  /** Returns false when a value is missing. */
  onRun: () => boolean;
  children: ReactNode;
}

/** The form of a graph, with its agent and its button where those of a message are. */
function InputForm({ choice, onChoice, onStop, isSending, isFollowUp, onRun, children }: InputFormProps) {
  const text = useText('chat');
  // The form of the next run stays closed, so that it does not cover the results and questions of the last one.
  const [wanted, setWanted] = useState<boolean | null>(null);
  const isOpen = wanted ?? !isFollowUp;
  return (
    <form
      aria-label={text('graph.input')}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSending && isOpen && onRun()) setWanted(null);
      }}
      className="flex flex-col gap-2 rounded-card border border-control bg-surface p-2"
    >
      <div className={isOpen ? 'flex max-h-[50dvh] flex-col gap-4 overflow-y-auto p-1' : 'hidden'}>
        {children}
      </div>
      <div className="flex items-center gap-1">
        <AgentMenu choice={choice} onChoice={onChoice} />
        <span className="ml-auto" />
        {onStop ? (
          <Button onClick={onStop} icon={<Square size={16} strokeWidth={1.75} aria-hidden />}>
            {text('composer.stop')}
          </Button>
        ) : null}
        {isFollowUp ? (
          <Button aria-expanded={isOpen} onClick={() => setWanted(!isOpen)}>
            {text('graph.again')}
          </Button>
        ) : null}
        {isOpen ? (
          <Button
            type="submit"
            variant="solid"
            isBusy={isSending}
            icon={<Play size={16} strokeWidth={1.75} aria-hidden />}
          >
            {text(onStop ? 'graph.next' : 'graph.run')}
          </Button>
        ) : null}
      </div>
    </form>
  );
}

/** The settings of a graph beside its input. They open by themselves when one of them needs a value. */
function Settings({ fields, form }: { fields: ReturnType<typeof fieldsOf>; form: FormState }) {
  const text = useText('chat');
  const [isChosen, setChosen] = useState(() => fields.some(({ required }) => required));
  const isOpen = isChosen || fields.some(({ name }) => form.hasProblem(name));
  return (
    <details
      open={isOpen}
      onToggle={(event) => setChosen(event.currentTarget.open)}
      className="rounded-card border border-border bg-surface px-3 py-2"
    >
      <summary className="cursor-pointer py-1 text-body font-medium outline-accent focus-visible:outline-2">
        {text('graph.settings')}
      </summary>
      <div className="max-h-[40dvh] overflow-y-auto p-1">
        <Fields parameters={fields} form={form} />
      </div>
    </details>
  );
}
