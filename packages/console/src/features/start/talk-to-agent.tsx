import { createRun } from '@switchyard/contract/conversation/runs';
import { createThread } from '@switchyard/contract/conversation/threads';
import { shellWord } from '@switchyard/contract/shell-word';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { Button, LinkButton } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { ErrorState } from '../../kit/states/error-state.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { modelsQuery } from '../../lib/data/models.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { AgentReply } from './agent-reply.tsx';
import { Tile } from './tile.tsx';

/** A real run of the agent; the task that it asks the pool for is shown where it is asked for. */
export function TalkToAgent() {
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
          disabled={ask.isPending}
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
