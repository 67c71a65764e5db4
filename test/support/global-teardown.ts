/** Stops what global-setup started; a server given by TEST_DATABASE_URL is left alone. */
export default async function tearDown(): Promise<void> {
  await globalThis.stopTestServer?.()
}
