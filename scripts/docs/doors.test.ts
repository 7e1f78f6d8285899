import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tests = 'packages/server/test/';
const sources = 'packages/server/src/doors/comfyui/';

/** The tests that hold a row of the guides, by the start of the row: a file with the names of tests in it. */
const held: Record<string, Record<string, readonly string[]>> = {
  'docs/guide/comfyui-clients.md': {
    'The scripts of custom nodes run': [
      `${tests}comfyui-page.test.ts`,
      'does not pass on calls of custom nodes',
      'passes on what an administrator has listed, to be read and not changed',
    ],
    'ComfyUI-Manager is not there': [`${tests}comfyui-page.test.ts`, 'nor anything of ComfyUI-Manager'],
    'Nothing is loaded from other sites': [
      `${tests}comfyui-page.test.ts`,
      'shows the files of a worker to its user, without the headers of the worker',
    ],
    'A change on the worker shows': [`${sources}page-files.test.ts`, 'are asked for once in a minute'],
    'With a token, clients find the door': [
      `${tests}comfyui-page.test.ts`,
      'answers a client with a token at its root',
    ],
    '`executed` comes when': [
      `${tests}comfyui-door.test.ts`,
      'tells the client that sent a prompt everything about it, in the order of ComfyUI',
    ],
    'the `subfolder` of an output': [
      `${tests}comfyui-differences.test.ts`,
      'names outputs by an id as their subfolder',
    ],
    'the folder of uploads is flat': [
      `${tests}comfyui-differences.test.ts`,
      'takes uploads into one flat folder',
    ],
    '`LoadImage` lists no files': [
      `${tests}comfyui-door.test.ts`,
      'describes the nodes of the pool without the files of its workers',
      'loads it on whichever worker runs the prompt',
      'answers what a page asks for when it starts',
    ],
    'history and queue have all tasks': [
      `${tests}comfyui-differences.test.ts`,
      'has the tasks of the account in its history that came by another way',
    ],
    'history has the newest 200': [
      `${tests}comfyui-differences.test.ts`,
      'has the newest 200 prompts in its history, and 200 jobs on a page',
      'shows the graphs of its first hundred prompts',
    ],
    'the same `prompt_id`': [`${tests}comfyui-door.test.ts`, 'takes the same prompt under it once'],
    '`front`, or a negative': [
      `${tests}comfyui-differences.test.ts`,
      'moves what goes first before the prompts',
    ],
    'values that a node itself checks': [
      `${tests}comfyui-differences.test.ts`,
      'fails a prompt with a value that only the node itself refuses',
    ],
    '`/interrupt`, and `clear`': [
      `${tests}comfyui-door.test.ts`,
      'leave the queue by their id or all at once',
    ],
    '`/models` has the folders': [`${tests}comfyui-door.test.ts`, 'are those of all workers, by the folder'],
    '`/free` is accepted': [`${tests}comfyui-door.test.ts`, 'unloads no models of others'],
    'a picture of more than 8192': [
      `${tests}comfyui-files.test.ts`,
      'are not decoded when they are none, are too large',
    ],
    '`clear` and `delete` of `/history`': [
      `${tests}comfyui-jobs.test.ts`,
      'leave the history of their account when it says so, and stay in the record of the pool',
    ],
    '`/jobs` sorts by': [
      `${sources}prompt-jobs.test.ts`,
      'sorts the newest thousand prompts by how long they took',
    ],
    '`/userdata` stores texts': [
      `${tests}comfyui-user-data.test.ts`,
      'is text of a size that has a limit, and there is a limit for all of it',
      'are files in folders, which are listed in the ways of ComfyUI',
      'goes with its account',
    ],
    '`/embeddings` lists those': [`${tests}comfyui-door.test.ts`, 'are those of all workers, by the folder'],
    '`/extensions`, `/i18n`': [`${tests}comfyui-door.test.ts`, 'answers what a page asks for when it starts'],
    '`download_missing` is refused': [
      `${tests}comfyui-door.test.ts`,
      'answers what a page asks for when it starts',
    ],
    '`/upload/mask` answers 404': [`${tests}comfyui-files.test.ts`, 'take no mask of another size'],
  },
  'docs/guide/comfy-sdk.md': Object.fromEntries(
    Object.entries({
      'jobs are all tasks': ['shows a task that came by another way as a job'],
      '`output` events come': ['begins a stream with how the job stands, and ends it with outputs'],
      '`nodes_done` is as many': ['runs a job, with everything in the answer that says it has succeeded'],
      '`progress` is null in the list': ['shows a task that came by another way as a job'],
      'the `hash` of an output': ['knows the hash of a file that came by another way once the same content'],
      '`file_path` of an asset': ['finds an asset by its hash for its account alone'],
      'the same content under the same name': ['and uploads it once'],
      '`tags` and `expires_in`': [
        'finds an asset by its hash for its account alone',
        'says when the outputs of a job are deleted',
      ],
      'an asset is the whole value': ['gives an asset to the worker in place of its reference'],
      'a workflow is refused': ['names each node and input that keeps a workflow from running'],
      '`deployment_not_ready`': ['asks a client to wait while each worker that could run the job is away'],
      '`metadata` and `priority`': ['names each node and input that keeps a workflow from running'],
      '`api_key_comfy_org` is kept': [
        'hands the key of nodes that call Comfy to the worker, and never shows it',
      ],
      'a base address with a token': ['whose links lead nowhere from an address that holds it'],
    }).map(([row, names]) => [row, [`${tests}comfy-api-door.test.ts`, ...names]]),
  ),
};

it.each(Object.entries(held))('each difference that %s names is held by a test', (guide, byRow) => {
  const rows = [
    ...readFileSync(root + guide, 'utf8').matchAll(/^\| (?:Here|On the page) \| Why \|\n.*\n((?:\|.*\n)+)/gm),
  ]
    .flatMap(([, table = '']) => table.trim().split('\n'))
    .map((line) => line.slice(2));
  expect(
    rows.map((row) =>
      Object.keys(byRow)
        .filter((start) => row.startsWith(start))
        .join(),
    ),
  ).toEqual(Object.keys(byRow));
  for (const [file = '', ...names] of Object.values(byRow))
    for (const name of names) expect(readFileSync(root + file, 'utf8')).toContain(name);
});
