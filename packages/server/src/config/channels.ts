import { isRecord } from '../lib/is-record.ts';
import {
  entriesOf,
  flag,
  number,
  type Reader,
  Refusal,
  readerOf,
  type Section,
  section,
  text,
  texts,
} from './entries.ts';

/** One entry of `channels`, as the file writes it. */
export interface ChannelConfig {
  /** Part of the address under which the channel is called, and of the metadata by which its threads are found. */
  name: string;
  type: 'telegram' | 'http';
  enabled: boolean;
  /** The account that allowed senders act as: its e-mail address or its id. */
  user: string | null;
  /** Accounts for individual senders, keyed by the sender's id in the channel. */
  users: Readonly<Record<string, string>>;
  /** Senders that may act as `user`; `*` admits everyone who can reach the channel. */
  allowed_users: readonly string[];
  assistant: string;
  /** Merged over the context with which runs of channels begin. */
  context: Readonly<Section>;
  /** Maximum number of steps in a run. */
  recursion_limit: number;
  /** Maximum size of a file in either direction. */
  max_file_bytes: number;
  /** Telegram only: the token of the bot. */
  token: string | null;
  base_url: string;
  /** Whether the bot also answers in groups, where every member reads the answers. */
  groups: boolean;
  /** Whether an answer is shown while it is written. */
  stream: boolean;
  edit_interval_ms: number;
  /** HTTP channels only: signs messages in both directions. */
  secret: string | null;
  /** HTTP channels only: where the answers are sent. */
  url: string | null;
  /** Whether the channel may call loopback and private networks. */
  private_addresses: boolean;
}

const maxChannels = 20;
const maxSenders = 1_000;
/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = { min: 24, max: 64 };

/** A list of channels, or a map from their names. Throws a RangeError that says which entry and key, and never a value. */
export function readChannels(data: unknown): ChannelConfig[] {
  const entries = entriesOf(data, 'channels');
  if (entries.length > maxChannels)
    throw new RangeError(`has ${entries.length} entries; ${maxChannels} are the limit`);
  const channels = entries.map(([place, entry]) => readChannel(place, section(place, entry, readers)));
  const names = channels.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RangeError(`has two channels of the name "${twice}"`);
  refuseShared(channels);
  return channels;
}

/**
 * A secret must not be shared, because a message signed for one channel must not count in another. A bot token must not
 * be shared, because only one reader can fetch a bot's messages.
 */
function refuseShared(channels: readonly ChannelConfig[]): void {
  for (const key of ['secret', 'token'] as const) {
    for (const [index, channel] of channels.entries()) {
      const other = channels
        .slice(0, index)
        .find((before) => before[key] !== null && before[key] === channel[key]);
      if (other)
        throw new RangeError(
          `.${channel.name}.${key} is the same as that of ${other.name}; each needs its own`,
        );
    }
  }
}

/** Shows secrets as `***`. The context may hold secrets too, so only the names of its keys are shown. */
export function maskedChannels(channels: readonly ChannelConfig[]): object[] {
  return channels.map((channel) => ({
    ...channel,
    context: Object.fromEntries(Object.keys(channel.context).map((name) => [name, '***'])),
    token: channel.token === null ? null : '***',
    secret: channel.secret === null ? null : '***',
  }));
}

const kinds = ['telegram', 'http'] as const;
const senderId = /^\S{1,256}$/;
const account = /^[^\s]{1,320}$/;
const accountRule = 'must be the e-mail address or the id of an account';

const readers: { [Key in keyof ChannelConfig]: Reader<ChannelConfig[Key]> } = {
  name: text(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be a name of small letters, digits, _ and -'),
  type: (value) => kinds.find((kind) => kind === value) ?? new Refusal(`must be one of ${kinds.join(', ')}`),
  enabled: flag,
  user: text(account, accountRule),
  users: accountsOfSenders,
  allowed_users: senders,
  assistant: text(/^\S{1,256}$/, 'must be the name of an agent or the id of an assistant'),
  context: (value) => (isRecord(value) ? value : new Refusal('must hold keys')),
  recursion_limit: number({ minimum: 1, maximum: 10_000, isWhole: true }),
  max_file_bytes: number({ minimum: 1_024, maximum: 50 * 1024 * 1024, isWhole: true }),
  token: text(
    /^\d{1,20}:[A-Za-z0-9_-]{20,128}$/,
    'must be the token that BotFather gave, <digits>:<letters>',
  ),
  base_url: text(
    /^https?:\/\/[^\s@/]+$/,
    'must be scheme, host and port only, such as https://api.telegram.org',
  ),
  groups: flag,
  stream: flag,
  edit_interval_ms: number({ minimum: 50, maximum: 60_000, isWhole: true }),
  secret: signingSecret,
  url: text(/^https?:\/\/[^\s@]{1,2000}$/, 'must be an http or https address without a user'),
  private_addresses: flag,
};

/** Keys that only one type of channel understands. */
const keysOf = {
  telegram: ['token', 'base_url', 'groups', 'stream', 'edit_interval_ms'],
  http: ['secret', 'url', 'private_addresses'],
} as const;

function readChannel(place: string, entry: Section): ChannelConfig {
  const read = readerOf<ChannelConfig>(readers, { place, entry });
  const name = read('name');
  if (name === null) throw new RangeError(`${place}.name is missing; the channel is called by it`);
  const type = read('type');
  if (type === null) throw new RangeError(`${place}.type is missing; it must be one of ${kinds.join(', ')}`);
  const channel: ChannelConfig = {
    name,
    type,
    enabled: read('enabled') ?? true,
    user: read('user'),
    users: read('users') ?? {},
    allowed_users: read('allowed_users') ?? [],
    assistant: read('assistant') ?? 'lead_agent',
    context: read('context') ?? {},
    recursion_limit: read('recursion_limit') ?? 100,
    max_file_bytes: read('max_file_bytes') ?? 20 * 1024 * 1024,
    token: read('token'),
    base_url: read('base_url') ?? 'https://api.telegram.org',
    groups: read('groups') ?? false,
    stream: read('stream') ?? true,
    edit_interval_ms: read('edit_interval_ms') ?? 1_500,
    secret: read('secret'),
    url: read('url'),
    private_addresses: read('private_addresses') ?? false,
  };
  refuseKeysOfOthers(place, entry, type);
  requireComplete(place, channel);
  return channel;
}

function refuseKeysOfOthers(place: string, entry: Section, type: ChannelConfig['type']): void {
  for (const [kind, keys] of Object.entries(keysOf)) {
    const foreign = kind === type ? undefined : keys.find((key) => Object.hasOwn(entry, key));
    if (foreign)
      throw new RangeError(`${place}.${foreign} is for channels of type ${kind}; leave it out here`);
  }
}

/**
 * A forgotten key must not let anyone in: a channel has to name its accounts, and the senders that may use a shared
 * one.
 */
function requireComplete(place: string, channel: ChannelConfig): void {
  const { type, user, users, allowed_users: allowed } = channel;
  if (type === 'telegram' && channel.token === null)
    throw new RangeError(`${place}.token is missing; BotFather gives one`);
  if (type === 'http' && channel.secret === null)
    throw new RangeError(`${place}.secret is missing; messages are signed with it`);
  if (type === 'http' && channel.url === null)
    throw new RangeError(`${place}.url is missing; answers are sent there`);
  if (user === null && Object.keys(users).length === 0)
    throw new RangeError(`${place}.user is missing; name the account to act as, or give users`);
  if (user !== null && allowed.length === 0)
    throw new RangeError(`${place}.allowed_users is missing; list the senders that may act as ${place}.user`);
  if (user === null && allowed.length > 0)
    throw new RangeError(
      `${place}.allowed_users is for ${place}.user, which is missing; senders in users are allowed`,
    );
}

/** Telegram's ids are numbers, and YAML reads them as numbers. */
function senders(value: unknown): readonly string[] | Refusal {
  const list = Array.isArray(value)
    ? value.map((item) => (typeof item === 'number' ? String(item) : item))
    : value;
  if (Array.isArray(list) && list.length > maxSenders)
    return new Refusal(`has more than ${maxSenders} entries`);
  return texts(senderId, 'must be a list of ids of senders, written ["12345"], or ["*"] for everybody')(list);
}

function accountsOfSenders(value: unknown): Record<string, string> | Refusal {
  if (!isRecord(value)) return new Refusal('must map ids of senders to accounts');
  const pairs = Object.entries(value);
  if (pairs.length > maxSenders) return new Refusal(`has more than ${maxSenders} entries`);
  const isPair = ([sender, user]: [string, unknown]) =>
    senderId.test(sender) && sender !== '*' && typeof user === 'string' && account.test(user);
  if (!pairs.every(isPair))
    return new Refusal('must map ids of senders to e-mail addresses or ids of accounts');
  return value as Record<string, string>;
}

function signingSecret(value: unknown): string | Refusal {
  const encoded = typeof value === 'string' ? /^whsec_([A-Za-z0-9+/]+=*)$/.exec(value)?.[1] : undefined;
  const bytes = Buffer.from(encoded ?? '', 'base64').length;
  const { min, max } = secretBytes;
  if (encoded !== undefined && bytes >= min && bytes <= max) return value as string;
  return new Refusal(`must be whsec_ and ${min} to ${max} bytes in base64`);
}
