import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { Boundary } from '../src/kit/boundary.tsx';
import { Button } from '../src/kit/button.tsx';
import { FilterEmpty } from '../src/kit/forms/filter-empty.tsx';
import { ReasonText, ReasonTexts } from '../src/kit/obstacles/reason-text.tsx';
import { ProgressBar } from '../src/kit/progress-bar.tsx';
import { QueryView, type ViewedQuery } from '../src/kit/query-view.tsx';
import { EmptyState } from '../src/kit/states/empty-state.tsx';
import { ErrorState } from '../src/kit/states/error-state.tsx';
import { GoneState } from '../src/kit/states/gone-state.tsx';
import { Skeleton } from '../src/kit/states/skeleton.tsx';
import { type StatusKind, StatusWord } from '../src/kit/status-word.tsx';
import { Full, Part, State } from './specimen.tsx';

const kinds: StatusKind[] = [
  'waiting',
  'running',
  'done',
  'failed',
  'cancelled',
  'paused',
  'draining',
  'unreachable',
  'off',
  'idle',
  'busy',
  'checking',
];

const nothing = () => undefined;
const statuses = [401, 403, 404, 429, 500];
const refusal = (status: number) =>
  new ApiError({
    status,
    code: 'refused',
    message: `The answer had the status ${status}.`,
    requestId: '01kx',
  });

/** How a thing stands, and what a view says while it has nothing to show. */
export function States() {
  return (
    <>
      <Part name="StatusWord">
        <State name="In lists">
          {kinds.map((kind) => (
            <StatusWord key={kind} kind={kind}>
              {kind}
            </StatusWord>
          ))}
        </State>
        <State name="Tinted, in cards">
          {kinds.map((kind) => (
            <StatusWord key={kind} kind={kind} tinted>
              {kind}
            </StatusWord>
          ))}
        </State>
      </Part>
      <Part name="ProgressBar">
        {[0, 62, 100, null].map((value) => (
          <State key={value} name={value === null ? 'Unknown, thin' : `${value} %`}>
            <ProgressBar
              value={value}
              thin={value === null}
              label={`Progress at ${value}`}
              text={`${value} percent`}
            />
          </State>
        ))}
      </Part>
      <Part name="EmptyState and FilterEmpty">
        <State name="With an action and a command">
          <EmptyState
            title="No instances yet."
            action={<Button variant="solid">Add instance</Button>}
            command="switchyard instances add 192.168.1.20:8188"
          >
            An instance is a ComfyUI server that runs your workflows.
          </EmptyState>
        </State>
        <State name="Nothing matches a filter">
          <FilterEmpty title="No tasks match these filters." onClear={nothing} />
        </State>
      </Part>
      <Part name="GoneState">
        <State name="A collection that was taken back">
          <GoneState kind="collection" />
        </State>
      </Part>
      <Errors />
      <Queries />
      <Part name="ReasonText">
        <State name="One, in English as the gateway says it">
          <ReasonText reason={{ code: 'off', sentence: null, message: 'box-a is switched off.' }} />
        </State>
        <State name="Two, in the language of the page">
          <p>
            <ReasonTexts
              reasons={[
                { code: 'off', message: '', sentence: { key: 'off', values: { name: 'box-a' } } },
                {
                  code: 'lacks',
                  message: '',
                  sentence: { key: 'lacks', values: { name: 'box-a', missing: 'KSampler', left: 2 } },
                },
              ]}
            />
          </p>
        </State>
      </Part>
      <Part name="Boundary">
        <State name="A child that throws">
          <Boundary fallback={({ message }) => <p>Instead of it: {message}</p>}>
            <Broken />
          </Boundary>
        </State>
      </Part>
    </>
  );
}

function Errors() {
  return (
    <Part name="ErrorState">
      {statuses.map((status) => (
        <State key={status} name={`Status ${status}`}>
          <ErrorState error={refusal(status)} retry={nothing} />
        </State>
      ))}
      <State name="Unreachable, with older content below, while it tries again">
        <ErrorState
          error={new ConnectionError('unreachable', 'The gateway could not be reached.')}
          retry={nothing}
          stale
          busy
        />
      </State>
    </Part>
  );
}

function Queries() {
  const query = (more: Partial<ViewedQuery<string[]>>): ViewedQuery<string[]> => ({
    data: undefined,
    error: null,
    isPending: false,
    isFetching: false,
    refetch: nothing,
    ...more,
  });
  const list = (rows: readonly string[]) => <p>{rows.join(', ')}</p>;
  return (
    <Part name="QueryView and Skeleton">
      <State name="Loading">
        <Full>
          <QueryView query={query({ isPending: true })}>{list}</QueryView>
        </Full>
      </State>
      <State name="Skeleton of two rows">
        <Full>
          <Skeleton rows={2} />
        </Full>
      </State>
      <State name="Failed">
        <QueryView query={query({ error: refusal(500) })}>{list}</QueryView>
      </State>
      <State name="Empty">
        <QueryView query={query({ data: [] })} isEmpty={({ length }) => length === 0}>
          {list}
        </QueryView>
      </State>
      <State name="With data, of which the last reading failed">
        <QueryView query={query({ data: ['box-a', 'box-b'], error: refusal(503) })}>{list}</QueryView>
      </State>
    </Part>
  );
}

function Broken(): never {
  throw new Error('this child threw while it was drawn.');
}
