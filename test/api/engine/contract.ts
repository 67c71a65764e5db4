import type { Contract } from '../../../src/api/engine/contract.ts'

const text = { schema: { type: 'string' } }
const headers = { 'Cache-Control': text, Vary: text, ETag: text, Link: text }
const error = {
  description: 'error',
  headers: { ...headers, Allow: text, Accept: text, 'Accept-Encoding': text, 'Retry-After': text },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}
const errors = {
  400: error,
  401: { $ref: '#/components/responses/Unauthorized' },
  404: error,
  413: error,
  415: error,
  500: error,
}
const json = (schema: object) => ({ description: 'success', headers, content: { 'application/json': { schema } } })
const unauthorized = { ...error, headers: { ...headers, 'WWW-Authenticate': { ...text, required: true } } }
const ending = { ...headers, Deprecation: text, Sunset: text }
const echo = { 200: json({ type: 'object' }), ...errors }
const thing = { name: 'thing_id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }
const flagged = (name: string) => ({ name, in: 'query', schema: { $ref: '#/components/schemas/Flag' } })
const form = { schema: { $ref: '#/components/schemas/Thing' } }
const anyForm = { schema: { type: 'object', additionalProperties: true } }

/** A small contract with an example of each special case of the engine. */
export const contract = {
  openapi: '3.1.1',
  security: [{ basic: [] }, { oauth: ['read'] }],
  paths: {
    '/': { get: { operationId: 'getRoot', responses: echo } },
    '/me': { get: { operationId: 'getMe', responses: echo } },
    '/open/': {
      get: {
        operationId: 'getOpen',
        security: [],
        responses: { 200: json({ type: 'object' }), 400: error, 500: error },
      },
    },
    '/things/': {
      get: {
        operationId: 'listThings',
        parameters: [
          { name: 'page', in: 'query', schema: { type: 'integer', minimum: 0, default: 1 } },
          { name: 'order', in: 'query', schema: { enum: ['up', 'down'], type: 'string' } },
          { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          {
            name: 'ids',
            in: 'query',
            style: 'spaceDelimited',
            explode: false,
            schema: { type: 'array', items: { type: 'integer' } },
          },
          { name: 'commas', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } },
          flagged('structure'),
        ],
        responses: echo,
      },
      post: {
        operationId: 'createThing',
        security: [{ basic: [] }, { oauth: ['write'] }],
        requestBody: {
          required: true,
          content: { 'application/json': form, 'application/x-www-form-urlencoded': form, 'multipart/form-data': form },
        },
        responses: { 201: json({ $ref: '#/components/schemas/Made' }), ...echo },
      },
    },
    '/things/newest/': { get: { operationId: 'getNewest', responses: echo } },
    '/things/oldest/': {
      get: {
        operationId: 'getOldest',
        'x-deprecated-since': '2026-11-22',
        'x-sunset': '2027-11-21',
        responses: {
          200: { ...echo[200], headers: ending },
          401: { ...unauthorized, headers: { ...unauthorized.headers, ...ending } },
        },
      },
    },
    '/things/{thing_id}/': {
      parameters: [thing],
      get: { operationId: 'getThing', responses: echo },
      put: {
        operationId: 'updateThing',
        requestBody: {
          content: {
            'application/json': anyForm,
            'application/x-www-form-urlencoded': anyForm,
            'multipart/form-data': anyForm,
            'text/csv': { schema: { type: 'string' } },
          },
        },
        responses: echo,
      },
      delete: {
        operationId: 'deleteThing',
        requestBody: { content: { 'application/json': anyForm, 'application/x-www-form-urlencoded': anyForm } },
        responses: echo,
      },
    },
    '/things/{thing_id}/answers/': {
      parameters: [thing],
      get: {
        operationId: 'listAnswers',
        parameters: [
          { name: 'page', in: 'query', schema: { type: 'integer' } },
          {
            name: 'filters',
            in: 'query',
            style: 'form',
            explode: true,
            schema: { type: 'object', additionalProperties: true },
          },
        ],
        responses: echo,
      },
    },
    '/things/{thing_id}/{name}/': {
      parameters: [thing, { name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'getNamed', responses: echo },
    },
    '/csv/': {
      get: {
        operationId: 'exportThings',
        responses: {
          200: {
            description: 'csv',
            headers: { ...headers, 'Content-Disposition': text },
            content: { 'text/csv': { schema: { type: 'string' } } },
          },
          ...errors,
        },
      },
    },
  },
  components: {
    securitySchemes: { basic: { type: 'http', scheme: 'basic' }, oauth: { type: 'http', scheme: 'bearer' } },
    responses: {
      Unauthorized: unauthorized,
    },
    schemas: {
      Flag: { type: 'boolean' },
      Error: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
      Made: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
      Thing: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1 },
          live: { type: 'integer', enum: [0, 1], default: 1 },
          share: { type: 'number', maximum: 1 },
          hidden: { type: 'boolean' },
          ids: { type: 'array', items: { type: 'integer' } },
          settings: { type: 'object', additionalProperties: { type: 'integer' } },
          choices: {
            type: 'array',
            items: { type: 'object', required: ['label'], properties: { label: { type: 'string' } } },
          },
        },
      },
    },
  },
} as unknown as Contract
