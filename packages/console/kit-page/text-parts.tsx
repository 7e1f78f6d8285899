import { CommandLine } from '../src/kit/command-line.tsx';
import { GatewayText } from '../src/kit/gateway-text.tsx';
import { LongText } from '../src/kit/long-text.tsx';
import { MarkdownText } from '../src/kit/markdown.tsx';
import { PlainText } from '../src/kit/plain-text.tsx';
import { TimeAgo } from '../src/kit/time-ago.tsx';
import { Full, Part, State } from './specimen.tsx';

const markdown = `A paragraph with **weight**, *stress*, \`code\`, a [link](https://example.org) and <b>no markup</b>.

1. A list
2. of two

> Somebody said this.

| Node | Time |
| --- | ---: |
| KSampler | 4.2 s |

\`\`\`json
{ "seed": 42 }
\`\`\``;

/** Parts that show text. */
export function TextParts() {
  return (
    <>
      <Part name="MarkdownText">
        <State name="What a model writes" isWide>
          <Full>
            <MarkdownText text={markdown} />
          </Full>
        </State>
      </Part>
      <Part name="PlainText and LongText">
        <State name="PlainText">
          <Full>
            <PlainText text={'Two lines\nas they were typed.'} />
          </Full>
        </State>
        <State name="LongText in a frame, with more than is shown">
          <Full>
            <LongText text={'A traceback. '.repeat(20)} label="Traceback" firstLength={80} />
          </Full>
        </State>
      </Part>
      <Part name="CommandLine, GatewayText and TimeAgo">
        <State name="CommandLine">
          <Full>
            <CommandLine command="switchyard run workflow.json --wait" />
          </Full>
        </State>
        <State name="GatewayText: without codes, and with them">
          <GatewayText message="box-a does not answer." sentences={undefined} />
          <GatewayText message="No answer." sentences={[{ code: 'no_answer', values: {} }]} />
        </State>
        <State name="TimeAgo: a time, and none">
          <TimeAgo at="2026-01-31T12:00:00Z" />
          <TimeAgo at={null} />
        </State>
      </Part>
    </>
  );
}
