import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parsePostgresUrl, withDatabase } from '../../src/lib/postgres-url.ts'

const parse = (url: string, env: NodeJS.ProcessEnv = {}) => parsePostgresUrl(url, { HOME: '/nonexistent', ...env })
/** Returns the addresses that are tried, without repetitions. */
const addresses = (url: string, env?: NodeJS.ProcessEnv) => [
  ...new Set(parse(url, env).candidates.map(({ host, port }) => `${host} ${port}`)),
]

describe('parsePostgresUrl', () => {
  test.each([
    ['postgres://u:p@db.example.org/canvass', ['db.example.org 5432']],
    ['postgresql://u:p@db.example.org:5433/canvass', ['db.example.org 5433']],
    ['postgres://u:p@[2001:db8::1]:5433/canvass', ['2001:db8::1 5433']],
    ['postgres://u:p@h1:1,h2:2,[::1]:3/canvass', ['h1 1', 'h2 2', '::1 3']],
    ['postgres://u:p@h1,h2/canvass?port=7', ['h1 7', 'h2 7']],
    ['postgres://u:p@%2Frun%2Fpostgresql:5433/canvass', ['/run/postgresql 5433']],
    ['postgres:///canvass?user=u&host=/run/postgresql&port=5433', ['/run/postgresql 5433']],
    ['postgres://u:p@/canvass?host=/run/postgresql', ['/run/postgresql 5432']],
    ['postgres://u:p@localhost/canvass?host=/cloudsql/project:region:db', ['/cloudsql/project:region:db 5432']],
    ['postgres://u@/canvass', ['/var/run/postgresql 5432', '/tmp 5432', 'localhost 5432']],
    ['postgres://u@db/canvass?hostaddr=192.0.2.1', ['192.0.2.1 5432']],
  ])('finds the addresses in %s', (url, expected) => {
    expect(addresses(url)).toEqual(expected)
    expect(parse(url)).toMatchObject({ user: 'u', database: 'canvass' })
  })

  test('reads any user name, password and database name, percent-encoded, and keeps them for another database', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((value) => !value.includes('\0'))
    fc.assert(
      fc.property(text, text, text, (user, password, database) => {
        const encode = encodeURIComponent
        const url = `postgres://${encode(user)}:${encode(password)}@h1,h2:7/${encode(database)}?sslmode=require`
        const target = parse(url)
        expect(target).toMatchObject({ user, password, database, sslmode: 'require' })
        expect(parse(withDatabase(url, 'other'))).toEqual({ ...target, database: 'other' })
      }),
    )
  })

  test.each([
    ['postgres://u:a#b@h/d', 'a#b'],
    ['postgres://u:a?b@h/d', 'a?b'],
    ['postgres://u:a@b@h/d?application_name=x@y', 'a@b'],
    ['postgres://u:a:b@h/d', 'a:b'],
    ['postgres://u:a+b@h/d', 'a+b'],
  ])('reads a password with a character that psql accepts unencoded: %s', (url, password) => {
    expect(parse(url)).toMatchObject({ user: 'u', password, database: 'd', candidates: [{ host: 'h' }, { host: 'h' }] })
  })

  test('uses the variables of libpq for what the URL does not contain', () => {
    const env = { PGHOST: 'other', PGPORT: '7', PGPASSWORD: 'secret', PGSSLMODE: 'require', PGAPPNAME: 'survey app' }
    expect(parse('postgres://u@/d', env)).toMatchObject({
      password: 'secret',
      label: 'survey-app',
      candidates: [{ host: 'other', port: 7, ssl: { rejectUnauthorized: false } }],
    })
    expect(parse('postgres://u@h/d?sslmode=disable', env).candidates).toEqual([{ host: 'h', port: 7, ssl: false }])
  })

  test.each([
    ['disable', [false]],
    ['allow', [false, true]],
    ['prefer', [true, false]],
    ['require', [true]],
    ['no-verify', [true]],
    ['verify-full', [true]],
  ])('tries a host with and without TLS as sslmode=%s says', (mode, expected) => {
    const modes = (host: string) => parse(`postgres://u@${host}/d?sslmode=${mode}`).candidates.map(({ ssl }) => ssl)
    expect(modes('h').map(Boolean)).toEqual(expected)
    for (const tls of modes('h')) if (tls) expect(tls.rejectUnauthorized).toBe(mode === 'verify-full')
    // As in libpq, a Unix socket is never encrypted.
    expect(modes('%2Ftmp')).toEqual([false])
  })

  test('asks several hosts for one that accepts writes, unless the URL says otherwise', () => {
    expect(parse('postgres://u@h1,h2/d').attributes).toBe('read-write')
    expect(parse('postgres://u@h1,h2/d?target_session_attrs=any').attributes).toBe('any')
    expect(parse('postgres://u@h1/d').attributes).toBe('any')
  })

  test.each([
    ['mysql://h/d', 'must be a URL that starts with postgres:// or postgresql://'],
    ['host=h dbname=d', 'must be a URL that starts with postgres:// or postgresql://'],
    ['postgres://u:a/b@h/d', 'contains a host that cannot be read'],
    ['postgres://u:%zz@h/d', 'contains a percent sign that is not part of a percent-encoded character'],
    ['postgres://u@h:70000/d', 'has a port that is not a number from 1 to 65535'],
    ['postgres://u@h1,h2/d?port=1,2,3', 'has 3 ports for 2 hosts'],
    ['postgres://u@h/d?schema=app', 'has the parameter schema, which is not supported'],
    ['postgres://u@h/d?client_encoding=LATIN1', 'has client_encoding with a value that is not supported'],
    ['postgres://u@h/d?sslmode', 'contains a parameter without a value'],
    ['postgres://u@h/d?connect_timeout=soon', 'has connect_timeout that is not a whole number of seconds'],
    ['postgres://u@h/d?target_session_attrs=master', 'has target_session_attrs, which must be one of any, '],
    ['postgres://u@h/d?sslrootcert=system', 'has sslrootcert=system, which needs sslmode=verify-full, not prefer'],
    ['postgres://u@h/d?sslnegotiation=direct', 'has sslnegotiation=direct, which needs sslmode=require'],
    ['postgres://u@%40abstract/d', 'names an abstract socket'],
  ])('says in one sentence why %s cannot be used, without a password', (url, reason) => {
    expect(() => parse(url)).toThrow(reason)
  })
})
