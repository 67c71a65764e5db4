import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import type { EntityManager } from '@mikro-orm/postgresql'
import Koa from 'koa'
import { statusOf } from '../../../src/api/engine/http-error.ts'
import { mount, operationsOf } from '../../../src/api/engine/mount.ts'
import type { AnyReply, AnyRequest, MountOptions, Version } from '../../../src/api/engine/operation.ts'
import { Admission } from '../../../src/domain/admission.ts'
import { RequestLimits } from '../../../src/domain/request-limits.ts'
import type { Services } from '../../../src/domain/services.ts'
import { Client, type Reply } from '../../support/client.ts'
import { contract } from './contract.ts'

export type Handle = (request: AnyRequest) => Promise<AnyReply>

/** The engine with the small contract over HTTP. Handlers echo the request unless a test replaces them. */
export interface Service extends Client {
  /** Replaces the handler of an operation until the next test. */
  on(operationId: string, handle: Handle): void
  deps: MountOptions
  version: Version
  /** The steps in order: begin, commit, rollback, handler. */
  steps: string[]
  /** The logged errors. */
  logged: unknown[]
  /** Sends raw bytes. @returns the reply, cut off after the timeout */
  raw(request: string | Buffer, timeoutMs?: number): Promise<string>
}

const echo = async ({ path, query, body, headers, search }: AnyRequest): Promise<AnyReply> => ({
  status: 200,
  body: { path, query, headers, search, ...(body !== undefined && { body }) },
})

/** Starts the engine for the tests of a file. Call it at the top of a test file. */
export function useService(options: Partial<MountOptions> = {}): Service {
  const handlers = new Map<string, Handle>()
  const steps: string[] = []
  const logged: unknown[] = []
  const service = { steps, logged } as unknown as Service
  let server: Server

  const em = {
    async transactional(work: (em: unknown) => Promise<unknown>) {
      steps.push('begin')
      try {
        const result = await work(em)
        steps.push('commit')
        return result
      } catch (error) {
        steps.push('rollback')
        throw error
      }
    },
  } as unknown as EntityManager

  const deps: MountOptions = {
    fork: () => em,
    clock: () => new Date('2026-01-15T12:00:00Z'),
    services: {
      baseUrl: 'http://127.0.0.1',
      requestLimits: new RequestLimits(new Map()),
      admission: new Admission(0),
    } as Services,
    authenticate: async () => ({
      id: 1,
      username: 'ann',
      email: 'ann@example.org',
      name: 'Ann',
      isDeveloper: false,
      plan: 'standard',
    }),
    translate: () => undefined,
    rejectOnOutage: (work) => work(),
    strict: true,
    ...options,
  }
  const version: Version = {
    prefix: '/api',
    contract,
    handlers: Object.fromEntries(
      operationsOf({ contract, prefix: '' }).map(({ operationId }) => [
        operationId,
        (request: never) => {
          steps.push('handler')
          return (handlers.get(operationId) ?? echo)(request)
        },
      ]),
    ),
    errorReply: (problem) => ({
      status: statusOf(problem),
      body: { code: problem.code, message: problem.message, errors: problem.errors },
      contentType: 'application/json',
    }),
  }

  beforeAll(async () => {
    const app = new Koa()
    app.silent = true
    app.use((ctx, next) => {
      ctx.state.requestId = 'request-1'
      ctx.state.log = { error: (entry: { err: unknown }) => logged.push(entry.err) }
      return next()
    })
    app.use(await mount(version, deps))
    server = createServer(app.callback())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    Object.assign(service, { base: `http://127.0.0.1:${port}`, send: Client.prototype.send, deps, version })
    service.raw = (request, timeoutMs = 3000) => exchange(port, request, timeoutMs)
  })
  beforeEach(() => {
    handlers.clear()
    steps.length = 0
    logged.length = 0
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  service.on = (operationId, handle) => {
    handlers.set(operationId, handle)
  }
  for (const method of ['get', 'head', 'post', 'put', 'delete'] as const) {
    service[method] = (path, sent) => service.send(method.toUpperCase(), `/api${path}`, sent)
  }
  return service
}

function exchange(port: number, request: string | Buffer, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    const timer = setTimeout(() => socket.destroy(), timeoutMs)
    socket.on('data', (data) => {
      reply += data.toString('latin1')
    })
    socket.on('error', reject)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(reply)
    })
  })
}

/** Returns the field errors of a reply as `field: message`. */
export const fieldErrorsIn = (reply: Reply): string[] =>
  reply.body.errors.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
