import { isRecord } from '@switchyard/contract/is-record';
import type { ExternalFile, ExternalResult } from '../../agents/tools/external-tool.ts';
import { ToolFailure } from '../../agents/tools/tool-failure.ts';

type Block = Record<string, unknown>;

/** A model reads this many characters of one result. */
const maxResultLength = 100_000;

/** The text and the files of a result; other content is only named. Throws when the result is an error. */
export function toolResult(result: Record<string, unknown>): ExternalResult {
  const blocks = Array.isArray(result.content) ? result.content.filter(isRecord) : [];
  const text = cut(blocks.flatMap((block) => (fileOf(block) ? [] : [blockText(block)])).join('\n'));
  if (result.isError === true) throw new ToolFailure('mcp_tool_failed', text || 'The tool gave no reason.');
  return { text, files: blocks.flatMap((block) => fileOf(block) ?? []) };
}

/** Pictures and sounds stand in the block, other files are the content of a resource. */
function fileOf({ type, data, mimeType, resource }: Block): ExternalFile | null {
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return file(data, mimeType, null);
  if (!isRecord(resource) || typeof resource.blob !== 'string') return null;
  return file(resource.blob, resource.mimeType, resource.uri);
}

function file(base64: string, mediaType: unknown, uri: unknown): ExternalFile {
  return {
    mediaType: typeof mediaType === 'string' ? mediaType : 'application/octet-stream',
    name: typeof uri === 'string' ? lastPartOf(uri) : null,
    bytes: Buffer.from(base64, 'base64'),
  };
}

/** Null when the address ends without a name. */
function lastPartOf(uri: string): string | null {
  const [part = ''] = /[^/?#:]+(?=$|[?#])/.exec(uri) ?? [];
  return part === '' ? null : part;
}

function blockText(block: Block): string {
  if (block.type === 'text' && typeof block.text === 'string') return block.text;
  const resource = isRecord(block.resource) ? block.resource : undefined;
  if (typeof resource?.text === 'string') return resource.text;
  const facts = [block.name, block.mimeType, block.uri ?? resource?.uri].filter(
    (fact) => typeof fact === 'string',
  );
  return `[${String(block.type)}: ${facts.join(', ') || 'no text'}]`;
}

function cut(text: string): string {
  if (text.length <= maxResultLength) return text;
  return `${text.slice(0, maxResultLength)}\n[cut: ${text.length - maxResultLength} more characters]`;
}
