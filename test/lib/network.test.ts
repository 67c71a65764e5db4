import { isIP } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { canonicalAddress, forwardedAddress, rateLimitNetwork, siteNetwork } from '../../src/lib/network.ts'
import fc from '../support/fast-check.ts'

describe('forwardedAddress', () => {
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:5001', '198.51.100.7'],
    ['198.51.100.7:65535', '198.51.100.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['2001:0DB8:0:0:0:0:0:7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::FFFF:c633:6407', '198.51.100.7'],
    ['0:0:0:0:0:ffff:c633:6407', '198.51.100.7'],
    ['[::ffff:198.51.100.7]:80', '198.51.100.7'],
  ])('reads %s as %s', (element, address) => expect(forwardedAddress(element)).toBe(address))

  test.each([
    '',
    'unknown',
    '_hidden',
    'x17',
    'localhost',
    '198.51.100.7:0',
    '198.51.100.7:65536',
    '198.51.100.7:99999999',
    '198.51.100.7:',
    '198.51.100.7:80:80',
    '198.51.100.07',
    '198.51.100',
    '3325256711',
    '0xc6336407',
    '[198.51.100.7]',
    '[2001:db8::7]x',
    '[2001:db8::7]:0',
    '[2001:db8::7',
    '2001:db8::7%eth0',
    'fe80::1%1',
    '2001:db8::7::1',
  ])('reads %j as no address', (element) => expect(forwardedAddress(element)).toBeUndefined())

  test('returns the same canonical address for every notation of an address', () => {
    const notations = fc.oneof(
      fc.ipV4().map((ip) => [ip, `${ip}:8080`, `::ffff:${ip}`, `[::FFFF:${ip}]:1`]),
      fc.ipV6().map((ip) => [ip, `[${ip}]`, `[${ip.toUpperCase()}]:65535`]),
    )
    fc.assert(
      fc.property(notations, (elements) => {
        const addresses = new Set(elements.map(forwardedAddress))
        expect(addresses.size).toBe(1)
        const [address] = addresses
        expect(isIP(address!)).toBeGreaterThan(0)
        expect(canonicalAddress(address!)).toBe(address)
      }),
    )
  })

  test('returns an address or undefined for any text', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:.[\]%]{0,40}$/))
    fc.assert(fc.property(texts, (element) => isIP(forwardedAddress(element) ?? '::') > 0))
  })
})

describe('the networks that share a limit', () => {
  test.each([
    ['198.51.100.7', '198.51.100.7', undefined],
    ['::ffff:198.51.100.7', '198.51.100.7', undefined],
    ['2001:db8:4:1:a:b:c:d', '2001:db8:4:1::/64', '2001:db8:4::/48'],
    ['2001:db8:4:2::', '2001:db8:4:2::/64', '2001:db8:4::/48'],
    ['::1', '::/64', '::/48'],
  ])('of %s are %s and %s', (address, network, site) => {
    expect(rateLimitNetwork(address)).toBe(network)
    expect(siteNetwork(network)).toBe(site)
  })

  test('of a key that is not a network is undefined', () => {
    expect(siteNetwork('account 5')).toBeUndefined()
    expect(siteNetwork('device abc/64')).toBeUndefined()
  })
})
