import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'

/** A site of another origin with one page. */
export interface OtherSite {
  readonly url: string
  /** The content of its page. */
  html: string
}

/** Starts a site of another origin. Call it at the top of a test file. */
export function useOtherSite(): OtherSite {
  let server: Server
  const site: OtherSite = {
    get url() {
      return `http://localhost:${(server.address() as AddressInfo).port}/`
    },
    html: '',
  }
  beforeAll(async () => {
    server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(`<!doctype html><html lang="en"><title>Other site</title><h1>Other site</h1>${site.html}</html>`)
    })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return site
}
