import {
  consentPath,
  decideGrant,
  grantableScopes,
  issueToken,
  readGrantRequest,
  readResourceMetadata,
  readServerMetadata,
  registerClient,
  revokeToken,
} from '@switchyard/contract/accounts/client-grant';
import { errorCatalogue } from '@switchyard/contract/errors';
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../../http/access/actor.ts';
import { clientNetwork, sourceOf } from '../../http/access/client-ip.ts';
import { identityOf } from '../../http/access/guard.ts';
import type { ErrorAnswer, Routes } from '../../http/app.ts';
import { neutralText } from '../../http/errors/errors.ts';
import { AppError } from '../../lib/app-error.ts';
import { hourMs, minuteMs } from '../../lib/time-units.ts';
import type { CallWindow } from '../../platform/counters/counters.ts';
import type { AccessTokens } from '../access-tokens.ts';
import type { AccountParts } from '../account-parts.ts';
import type { Clients } from './clients.ts';
import type { Grants } from './grants.ts';

/** For each address, or for each user where one is signed in. A service calls from few addresses for all of its users. */
const windows = {
  metadata: { limit: 600, windowMs: minuteMs },
  token: { limit: 120, windowMs: minuteMs },
  revoke: { limit: 120, windowMs: minuteMs },
  register: { limit: 60, windowMs: hourMs },
  // Each may read a document elsewhere.
  consent: { limit: 30, windowMs: minuteMs },
} satisfies Record<string, CallWindow>;

/** The pages and calls of a sign-in. While it is off, they are not there. */
export function grantRoutes({
  grants,
  clients,
  accessTokens,
  isEnabled,
  issuer,
  counters,
  proxies,
}: Pick<AccountParts, 'counters' | 'proxies'> & {
  grants: Grants;
  clients: Pick<Clients, 'register'>;
  accessTokens: Pick<AccessTokens, 'end'>;
  isEnabled: boolean;
  issuer: () => string;
}): Routes {
  const limited = async (kind: keyof typeof windows, subject: string): Promise<void> => {
    const call = await counters.countCall(`oauth ${kind}:${subject}`, windows[kind]);
    if (!call.allowed)
      throw new AppError('rate_limited', { retryAfterSeconds: Math.ceil(call.retryAfterMs / 1_000) });
  };
  const perAddress = (kind: keyof typeof windows, { raw }: FastifyRequest) =>
    limited(kind, clientNetwork(sourceOf(raw, proxies).clientIp));
  const config = { errorAnswer: oauthErrorAnswer };

  return (app) => {
    app.addHook('onRequest', async () => {
      if (!isEnabled) throw new AppError('route_not_found');
    });

    app.route({
      ...readGrantRequest,
      handler: async (request) => {
        await limited('consent', identityOf(request).userId);
        return grants.read(request.query);
      },
    });

    app.route({
      ...decideGrant,
      handler: async (request) => {
        await limited('consent', identityOf(request).userId);
        return { redirect_to: await grants.decide(identityOf(request), actorOf(request), request.body) };
      },
    });

    app.route({
      ...readResourceMetadata,
      config: { ...readResourceMetadata.config, ...config },
      handler: async (request) => {
        await perAddress('metadata', request);
        return {
          resource: grants.resource,
          authorization_servers: [issuer()],
          scopes_supported: [...grantableScopes],
          bearer_methods_supported: ['header'],
          resource_name: 'Switchyard',
        };
      },
    });

    app.route({
      ...readServerMetadata,
      config: { ...readServerMetadata.config, ...config },
      handler: async (request) => {
        await perAddress('metadata', request);
        return serverMetadata(issuer());
      },
    });

    app.route({
      ...registerClient,
      config: { ...registerClient.config, ...config },
      handler: async (request, reply) => {
        await perAddress('register', request);
        const { id, name, redirectUris } = await clients.register(request.body);
        return reply
          .code(201)
          .header('cache-control', 'no-store')
          .send({
            client_id: id,
            client_id_issued_at: Math.floor(Date.now() / 1_000),
            client_name: name,
            redirect_uris: [...redirectUris],
            grant_types: grantTypes,
            response_types: ['code'],
            token_endpoint_auth_method: 'none',
          });
      },
    });

    app.route({
      ...issueToken,
      config: { ...issueToken.config, ...config },
      handler: async (request, reply) => {
        await perAddress('token', request);
        reply.header('cache-control', 'no-store');
        const { grant_type: type } = request.body;
        if (type === 'authorization_code') return grants.exchange(request.body);
        if (type === 'refresh_token') return grants.refresh(request.body);
        throw new AppError('unsupported_grant_type');
      },
    });

    app.route({
      ...revokeToken,
      config: { ...revokeToken.config, ...config },
      handler: async (request) => {
        await perAddress('revoke', request);
        const { token } = request.body;
        await grants.revoke(token);
        await accessTokens.end(token);
        return {};
      },
    });
  };
}

const grantTypes = ['authorization_code', 'refresh_token'];

function serverMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: issuer + consentPath,
    token_endpoint: issuer + issueToken.url,
    registration_endpoint: issuer + registerClient.url,
    revocation_endpoint: issuer + revokeToken.url,
    scopes_supported: [...grantableScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
}

/** Clients read the words of OAuth alone. Its descriptions are ASCII without quotes. */
function oauthErrorAnswer(error: AppError): ErrorAnswer {
  const [fault] = error.faults ?? [];
  const description = fault ? `${fault.path.join('.')}: ${fault.message}` : neutralText(error);
  return {
    status: error.status === 422 ? 400 : error.status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({
      error: oauthWordOf(error),
      error_description: description.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'"),
    }),
  };
}

function oauthWordOf({ code, status }: AppError): string {
  if (oauthCodes.has(code)) return code;
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return errorCatalogue[code].kind === 'internal' ? 'server_error' : 'invalid_request';
}

const oauthCodes: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_scope',
  'invalid_target',
  'unsupported_grant_type',
]);
