import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { inspectConfig } from '../src/config.ts'

const inspect = (BASE_URL: string) => inspectConfig({ BASE_URL })

describe('BASE_URL', () => {
  test.each([
    ['https://example.org', 'https://example.org'],
    ['https://example.org/', 'https://example.org'],
    ['https://example.org/feedback/', 'https://example.org/feedback'],
    ['http://127.0.0.1:8080/a/b-c_d.e~f', 'http://127.0.0.1:8080/a/b-c_d.e~f'],
  ])('%s is valid', (text, baseUrl) => {
    expect(inspect(text)).toMatchObject({ config: { baseUrl }, errors: [] })
  })

  test.each([
    'https://example.org/?a=1',
    'https://example.org/feedback#top',
    'https://ann@example.org/feedback',
    'https://example.org/two%20words',
    'https://example.org/a;b',
    'https://example.org/a//b',
    'https://example.org/é',
    'ftp://example.org/',
  ])('%s is refused', (text) => {
    expect(inspect(text).errors).toEqual([{ name: 'BASE_URL', message: expect.stringContaining('BASE_URL') }])
  })
})

describe('OIDC_PROVIDERS_FILE', () => {
  const provider = { id: 'company', name: 'Example', issuer: 'https://login.example.org', client_id: 'canvass' }
  const folder = mkdtempSync(join(tmpdir(), 'canvass-providers-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const inspectFile = (content: string, more = {}) => {
    const file = join(folder, 'providers.json')
    writeFileSync(file, content)
    return inspectConfig({ OIDC_PROVIDERS_FILE: file, ...more })
  }

  test('is a list of providers', () => {
    const full = { ...provider, client_secret: 's', scope: 'openid email', domains: ['example.org'], trust_email: true }
    const local = { ...provider, id: 'local', issuer: 'http://127.0.0.1:9000', create_accounts: true }
    const { config, errors } = inspectFile(JSON.stringify([full, local]), { PASSWORD_SIGN_IN: 'off' })
    expect([config.signIn, errors]).toEqual([
      { providers: [full, local], password: false, secondFactor: 'optional' },
      [],
    ])
  })

  test.each([
    ['{', /cannot be read/],
    ['[]', /the content must be a JSON list with a provider/],
    ['[1]', /item 1 must be an object/],
    [JSON.stringify([{ ...provider, id: undefined }]), /“id” of item 1 must be lower-case letters/],
    [JSON.stringify([{ ...provider, issuer: 'http://login.example.org' }]), /“issuer” of item 1 must be an https/],
    [JSON.stringify([{ ...provider, domains: 'example.org' }]), /“domains” of item 1 must be a list of domains/],
    [JSON.stringify([{ ...provider, scope: 'email' }]), /“scope” of item 1 must be scopes with openid/],
    [JSON.stringify([{ ...provider, create_account: true }]), /“create_account” of item 1 must be one of id, name/],
    [JSON.stringify([provider, provider]), /“id” of item 2 must be different/],
  ])('%s is refused', (content, message) => {
    expect(inspectFile(content).errors).toEqual([
      { name: 'OIDC_PROVIDERS_FILE', message: expect.stringMatching(message) },
    ])
  })

  test('is required if nobody may sign in with a password', () => {
    expect(inspectConfig({ PASSWORD_SIGN_IN: 'off' }).errors).toEqual([
      { name: 'PASSWORD_SIGN_IN', message: expect.stringContaining('needs OIDC_PROVIDERS_FILE') },
    ])
  })
})
