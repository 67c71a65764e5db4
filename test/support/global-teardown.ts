/** Stops the server that global-setup started, but not a server named by TEST_DATABASE_URL. */
export default async function tearDown(): Promise<void> {
  await globalThis.stopTestServer?.()
}
