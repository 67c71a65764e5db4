import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from '@jest/globals'
import { createSafeHttp, isInternal } from '../../src/lib/safe-http.ts'

const guarded = createSafeHttp(false)
const open = createSafeHttp(true)
afterAll(() => Promise.all([guarded.close(), open.close()]))

describe('isInternal', () => {
  test.each([
    ['this network', '0.0.0.0'],
    ['another address of this network', '0.1.2.3'],
    ['private 10/8', '10.0.0.1'],
    ['private 172.16/12', '172.31.255.255'],
    ['private 192.168/16', '192.168.1.1'],
    ['shared (CGNAT)', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['another loopback address', '127.8.9.10'],
    ['link-local', '169.254.1.1'],
    ['metadata server', '169.254.169.254'],
    ['internal service of a cloud', '168.63.129.16'],
    ['internal service of a cloud, mapped', '::ffff:168.63.129.16'],
    ['protocol assignments', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['benchmarks', '198.19.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '250.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['IPv6 unspecified', '::'],
    ['IPv6 loopback', '::1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped, in hexadecimal', '::ffff:7f00:1'],
    ['IPv4-mapped metadata server', '::ffff:a9fe:a9fe'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['6to4 of a private address', '2002:0a00:0001::1'],
    ['Teredo', '2001:0:1::1'],
    ['IPv6 documentation', '2001:db8::1'],
    ['unique local', 'fd00::1'],
    ['IPv6 link-local', 'fe80::1'],
    ['IPv6 link-local with a zone', 'fe80::1%eth0'],
    ['IPv6 multicast', 'ff02::1'],
    ['AWS metadata over IPv6', 'fd00:ec2::254'],
    ['a host name instead of an address', 'example.org'],
  ])('returns true for %s: %s', (_, address) => {
    expect(isInternal(address)).toBe(true)
  })

  test.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '223.255.255.255', '2606:4700::1111'])(
    'returns false for the public address %s',
    (address) => {
      expect(isInternal(address)).toBe(false)
    },
  )
})

describe('urlError', () => {
  test.each([
    ['a text that is not a URL', 'not an address'],
    ['a path', '/callback'],
    ['another protocol', 'ftp://example.org/'],
    ['a script', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['credentials', 'https://ann:secret@example.org/'],
    ['a username', 'https://ann@example.org/'],
    ['loopback', 'http://127.0.0.1/'],
    ['loopback, short', 'http://127.1/'],
    ['loopback, in decimal', 'http://2130706433/'],
    ['loopback, in hexadecimal', 'http://0x7f000001/'],
    ['loopback, in octal', 'http://0177.0.0.1/'],
    ['loopback in IPv6', 'http://[::1]/'],
    ['mapped loopback', 'http://[::ffff:127.0.0.1]/'],
    ['all addresses', 'http://0/'],
    ['the metadata server', 'http://169.254.169.254/latest/meta-data/'],
    ['a private network', 'https://10.1.2.3:8443/hook'],
    ['localhost', 'http://localhost:3000/'],
    ['localhost with a dot', 'http://localhost./'],
    ['a name below localhost', 'http://api.localhost/'],
    ['an internal name', 'http://metadata.google.internal/'],
    ['a URL that is too long', `https://example.org/${'x'.repeat(2048)}`],
  ])('returns an error for %s: %s', (_, address) => {
    expect(guarded.urlError(address)).toEqual(expect.any(String))
  })

  test.each(['https://example.org/hook', 'http://example.org:8080/?a=b', 'https://1.1.1.1/'])(
    'returns no error for %s',
    (address) => {
      expect(guarded.urlError(address)).toBeUndefined()
    },
  )

  test('allows private targets in development, but no credentials', () => {
    expect(open.urlError('http://127.0.0.1/')).toBeUndefined()
    expect(open.urlError('http://ann:secret@127.0.0.1/')).toMatch(/password/)
  })
})

describe('send', () => {
  test('rejects an internal address even if the URL was not checked before', async () => {
    await expect(guarded.send('http://127.0.0.1:1/', { method: 'POST', timeoutMs: 500 })).rejects.toThrow(/internal/)
  })

  test('rejects a host name that resolves to an internal address', async () => {
    const { hostname } = await import('node:os')
    const host = hostname()
    await expect(guarded.send(`http://${host}:1/`, { method: 'POST', timeoutMs: 8000 })).rejects.toThrow(/internal/)
  }, 10_000)

  test('returns a redirect without following it, and rejects a reply that is too long or too late', async () => {
    let followed = 0
    const server = createServer((request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: '/target' }).end()
      if (request.url === '/target') followed += 1
      if (request.url === '/long') response.end('x'.repeat(5000))
      if (request.url === '/drip') response.write('x')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      expect(await open.send(`${base}/redirect`, { method: 'POST', timeoutMs: 1000 })).toMatchObject({ status: 302 })
      expect(followed).toBe(0)
      const long = { method: 'GET', timeoutMs: 1000 } as const
      expect((await open.send(`${base}/long`, { ...long, maxBytes: 5000 })).text).toHaveLength(5000)
      await expect(open.send(`${base}/long`, { ...long, maxBytes: 4999 })).rejects.toThrow(/longer than 4999/)
      await expect(open.send(`${base}/silent`, { method: 'GET', timeoutMs: 200 })).rejects.toThrow(/within 0.2 seconds/)
      await expect(open.send(`${base}/drip`, { method: 'GET', timeoutMs: 200, maxBytes: 9 })).rejects.toThrow(
        /within 0.2/,
      )
      expect(await open.send(`${base}/drip`, { method: 'GET', timeoutMs: 1000 })).toMatchObject({ status: 200 })
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
