import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command } from '@langchain/langgraph';
import { z } from 'zod';
import { contentTypeOf } from '../../../platform/files/content-type.ts';
import { requireRunHandle } from '../../run-contract/run-handle.ts';
import { toolCallIdOf } from '../tool-call-id.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { WorkspaceKey } from '../workspace.ts';
import { type FileTrees, shown } from './file-trees.ts';

export const viewImageName = 'view_image';

/** Providers take at most five megabytes as base64. */
const maxPictureBytes = 3_500_000;
/** Types that all providers of models with vision can read. */
const types: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const typeBytes = 512;

/** Reads the whole picture. A `ToolFailure` says why it cannot be shown. */
export async function readPicture(
  trees: FileTrees,
  whose: WorkspaceKey,
  path: string,
): Promise<{ base64: string; mime_type: string }> {
  const { bytes, sizeBytes } = await trees.read(whose, path, maxPictureBytes);
  const { contentType } = contentTypeOf(bytes.subarray(0, typeBytes), path);
  if (!types.has(contentType)) {
    throw new ToolFailure('not_a_picture', `${shown(path)} is not a PNG, JPEG, GIF or WebP picture.`);
  }
  if (sizeBytes > maxPictureBytes) {
    throw new ToolFailure(
      'file_too_large',
      `${shown(path)} has ${sizeBytes} bytes; a picture to look at has at most ${maxPictureBytes}. Make a smaller one.`,
    );
  }
  return { base64: bytes.toString('base64'), mime_type: contentType };
}

/**
 * Notes that the next call of the model has to show a picture. The bytes stay on the disk until then: in the state they would add
 * megabytes to a checkpoint and to several frames of the stream.
 */
export function viewImageTool(trees: FileTrees) {
  return tool(
    async ({ image_path: path }, config) => {
      const { mime_type } = await readPicture(trees, requireRunHandle(config), path);
      const message = new ToolMessage({
        content: 'Successfully read image',
        tool_call_id: toolCallIdOf(config),
        name: viewImageName,
        status: 'success',
      });
      const viewed_images = { [path]: { base64: '', mime_type } };
      return new Command({ update: { viewed_images, messages: [message] } });
    },
    {
      name: viewImageName,
      description: 'Lets you look at a picture (PNG, JPEG, GIF, WebP) in your next answer.',
      schema: z.object({
        image_path: z.string().describe('The whole path, as /mnt/user-data/uploads/cat.png.'),
      }),
    },
  );
}
