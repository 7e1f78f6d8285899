import { Check, Copy } from 'lucide-react';
import { type ComponentProps, isValidElement, memo, type ReactNode, useMemo, useState } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { useText } from '../lib/i18n.ts';
import { Boundary } from './boundary.tsx';
import { Button, IconButton } from './button.tsx';
import { useCopy } from './copy/use-copy.tsx';
import { cutText, markdownBlocks } from './markdown-blocks.ts';

/**
 * Text that a model or a person wrote. HTML in it stays text, a picture from another origin stays a link, and a very long text is
 * cut until the reader asks for the rest. A block that cannot be read is shown as it was written. Blocks that are complete are not read again while more is streamed.
 */
export function MarkdownText({ text }: { text: string }) {
  const words = useText('kit');
  const [isWhole, setWhole] = useState(false);
  const { shown, isCut } = isWhole ? { shown: text, isCut: false } : cutText(text);
  const blocks = useMemo(() => markdownBlocks(shown), [shown]);
  return (
    <div className="flex min-w-0 flex-col gap-3 text-lead break-words">
      {blocks.map((block, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
        <Block key={place} text={block} />
      ))}
      {isCut ? (
        <Button className="self-start" onClick={() => setWhole(true)}>
          {words('markdown.showAll')}
        </Button>
      ) : null}
    </div>
  );
}

const plugins = [remarkGfm];

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Boundary fallback={() => <p className="break-words whitespace-pre-wrap">{text}</p>}>
        <Markdown remarkPlugins={plugins} components={parts}>
          {text}
        </Markdown>
      </Boundary>
    </div>
  );
});

const parts: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <OwnPicture src={src} alt={alt} />,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  code: ({ className, children }) =>
    className === undefined ? (
      <code className="rounded-control bg-sunken px-1 py-0.5 font-mono text-[0.875em]">{children}</code>
    ) : (
      <code className="font-mono">{children}</code>
    ),
  ul: ({ children }) => <ul className="list-disc space-y-1 pl-6">{children}</ul>,
  ol: ({ start, children }) => (
    <ol start={start} className="list-decimal space-y-1 pl-6">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-border pl-3 text-text-2">{children}</blockquote>
  ),
  // The page has the heading of the first level, and a turn that of the second.
  h1: ({ children }) => <Heading>{children}</Heading>,
  h2: ({ children }) => <Heading>{children}</Heading>,
  h3: ({ children }) => <Heading>{children}</Heading>,
  hr: () => <hr className="border-border" />,
  table: ({ children }) => (
    <div
      className="overflow-x-auto"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the column is scrolled by keyboard
      tabIndex={0}
    >
      <table className="border-collapse text-body">{children}</table>
    </div>
  ),
  th: ({ children }) => (
    <th className="border-b border-border px-2 py-1 text-left font-medium">{children}</th>
  ),
  td: ({ children }) => <td className="border-b border-border px-2 py-1 align-top">{children}</td>,
};

function Heading({ children }: { children: ReactNode }) {
  return <h3 className="font-semibold">{children}</h3>;
}

function SafeLink({ href, children }: Pick<ComponentProps<'a'>, 'href' | 'children'>) {
  if (!href) return <span>{children}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  );
}

/** The policy of the page refuses pictures of other origins; the reader may open them. */
function OwnPicture({ src, alt }: { src?: string | Blob | undefined; alt?: string | undefined }) {
  const address = typeof src === 'string' ? src : '';
  if (!isOwn(address)) return <SafeLink href={address}>{alt || address}</SafeLink>;
  return <img src={address} alt={alt ?? ''} loading="lazy" className="max-h-80 max-w-full rounded-control" />;
}

function isOwn(address: string): boolean {
  const { href, origin } = window.location;
  return address !== '' && URL.canParse(address, href) && new URL(address, href).origin === origin;
}

function CodeBlock({ children }: { children?: ReactNode }) {
  const words = useText('kit');
  const { copy, dialog } = useCopy();
  const [isCopied, setCopied] = useState(false);
  const label = words(isCopied ? 'markdown.copied' : 'markdown.copy');
  const Icon = isCopied ? Check : Copy;
  return (
    <div className="group relative rounded-card bg-sunken">
      <pre
        className="overflow-x-auto p-3 pr-12 text-table"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
        tabIndex={0}
      >
        {children}
      </pre>
      <IconButton
        label={label}
        icon={<Icon size={16} strokeWidth={1.75} aria-hidden />}
        className="absolute top-1 right-1"
        onClick={async () => setCopied(await copy(textIn(children)))}
        onBlur={() => setCopied(false)}
      />
      {dialog}
    </div>
  );
}

function textIn(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textIn).join('');
  return isValidElement<{ children?: ReactNode }>(node) ? textIn(node.props.children) : '';
}
