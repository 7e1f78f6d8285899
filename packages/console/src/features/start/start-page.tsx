import { createRun } from '@switchyard/contract/conversation/runs';
import { createThread } from '@switchyard/contract/conversation/threads';
import { shellWord } from '@switchyard/contract/shell-word';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button, LinkButton } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { Page } from '../../kit/page.tsx';
import { ErrorState } from '../../kit/states/error-state.tsx';
import { useToast } from '../../kit/toast.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { modelsQuery } from '../../lib/data/models.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { startChoiceOf } from '../../lib/start-choice.ts';
import { AgentReply } from './agent-reply.tsx';
import { RunSample } from './run-sample.tsx';
import { Tile } from './tile.tsx';

/** Three things to try, each of which really happens. */
export function StartPage() {
  const text = useText('start');
  return (
    <Page title={text('title')} lead={text('lead')} actions={<Dismiss />}>
      <div className="grid items-stretch gap-4 lg:grid-cols-2">
        <RunSample />
        <TalkToAgent />
        <Connect />
      </div>
    </Page>
  );
}

function Dismiss() {
  const text = useText('start');
  const toast = useToast();
  const [, navigate] = useLocation();
  const choice = startChoiceOf(useSession().id);
  if (choice.use() === 'dismissed') return null;
  const dismiss = () => {
    choice.set('dismissed');
    navigate('/');
    toast({ text: text('dismissed'), undo: () => choice.set('shown') });
  };
  return <Button onClick={dismiss}>{text('dismiss')}</Button>;
}

const modelYaml = `models:
  fast:
    provider: openai
    model: gpt-4o-mini
    api_key: \${OPENAI_API_KEY}`;

/** The three ways from the demo to the user's own machines, models and programs. */
function Connect() {
  const text = useText('start');
  const { isAdmin } = useSession();
  const taskCommand = `curl -H "Authorization: Bearer $ACCESS_TOKEN" ${window.location.origin}/api/tasks`;
  return (
    <Tile number={3} title={text('connect.title')} lead={text('connect.lead')} wide>
      <div className="grid gap-x-6 gap-y-4 lg:auto-cols-fr lg:grid-flow-col">
        {isAdmin && (
          <>
            <Way title={text('connect.comfy.title')} cause={text('connect.comfy.cause')}>
              <CommandLine command="switchyard instances add 192.168.1.20:8188" />
              <LinkButton href="/instances" size="s" className="self-start">
                {text('connect.comfy.open')}
              </LinkButton>
            </Way>
            <Way title={text('connect.model.title')} cause={text('connect.model.cause')}>
              <CommandLine command={modelYaml} />
            </Way>
          </>
        )}
        <Way title={text('connect.api.title')} cause={text('connect.api.cause')}>
          <CommandLine command={taskCommand} />
          <div className="flex flex-wrap gap-2">
            <LinkButton href="/tokens" size="s">
              {text('connect.api.token')}
            </LinkButton>
            <LinkButton href="/docs" size="s" variant="plain" newTab>
              {text('connect.api.docs')}
            </LinkButton>
          </div>
        </Way>
      </div>
    </Tile>
  );
}

function Way({ title, cause, children }: { title: string; cause: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 border-t border-border pt-3">
      <div>
        <h3 className="text-body font-medium">{title}</h3>
        <p className="text-table text-text-2">{cause}</p>
      </div>
      {children}
    </div>
  );
}

/** A real run of the agent. Its task on the pool is shown at the place where the agent asks for it. */
function TalkToAgent() {
  const text = useText('start');
  // The demo model knows this request in each language of the console.
  const question = text('talk.question');
  const [threadId] = useQueryState('thread');
  const [runId] = useQueryState('run');
  const models = useQuery(modelsQuery());
  const isDemo = models.data?.models[0]?.simulated === true;
  const ask = useMutation({ mutationFn: () => askAgent(question) });
  const hint = useCommandHint(`switchyard chat ${shellWord(question)}`);
  const hasAsked = threadId !== null && runId !== null;
  return (
    <Tile
      number={2}
      title={text(isDemo ? 'talk.title' : 'talk.titleReal')}
      lead={text(isDemo ? 'talk.lead' : 'talk.leadReal')}
    >
      {isDemo && (
        <p className="self-start rounded-full border border-border px-2 py-0.5 text-meta text-text-2">
          {text('talk.simulated')}
        </p>
      )}
      {hasAsked && <AgentReply threadId={threadId} runId={runId} question={question} />}
      {ask.error && <ErrorState error={ask.error} retry={() => ask.mutate()} />}
      <div className="mt-auto flex flex-wrap gap-2">
        <Button
          {...hint}
          variant={hasAsked ? 'quiet' : 'solid'}
          icon={<Send size={16} strokeWidth={1.75} aria-hidden />}
          isBusy={ask.isPending}
          onClick={() => ask.mutate()}
        >
          {text(hasAsked ? 'talk.again' : 'talk.ask', { question })}
        </Button>
        {hasAsked && <LinkButton href={`/chat/${threadId}`}>{text('talk.open')}</LinkButton>}
      </div>
    </Tile>
  );
}

async function askAgent(question: string): Promise<void> {
  const { thread_id } = await gateway.call(createThread, { body: {} });
  const { run_id } = await gateway.call(createRun, {
    params: { thread_id },
    body: {
      input: { messages: [{ role: 'user', content: question }] },
      stream_mode: ['messages-tuple', 'custom', 'values'],
    },
  });
  setQuery({ thread: thread_id, run: run_id });
}
