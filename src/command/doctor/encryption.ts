import type { Client } from 'pg'
import { isLoopbackHost } from '../../lib/network.ts'
import { parsePostgresUrl } from '../../lib/postgres-url.ts'
import type { Findings } from './finding.ts'

const VERIFICATION: Readonly<Record<string, string>> = {
  'verify-ca': 'and the authority of its certificate is verified',
  'verify-full': 'and its certificate is verified',
}

/** Reports whether connections to the database are encrypted, from PostgreSQL itself. */
export async function checkEncryption(client: Client, url: string, found: Findings): Promise<void> {
  const { rows } = await client.query<{ ssl: boolean; version: string | null; cipher: string | null }>(
    'select ssl, version, cipher from pg_stat_ssl where pid = pg_backend_pid()',
  )
  const { ssl = false, version = '', cipher = '' } = rows[0] ?? {}
  const { sslmode } = parsePostgresUrl(url)
  const { host } = client
  if (ssl)
    found.ok(
      'encryption',
      `connections are encrypted (sslmode=${sslmode}, ${version}, ${cipher}), ${VERIFICATION[sslmode] ?? 'and the server is not verified'}`,
    )
  else if (host.startsWith('/') || isLoopbackHost(host))
    found.ok('encryption', `connections stay on this machine and are not encrypted (sslmode=${sslmode})`)
  else
    found.warning(
      'encryption',
      `Connections to ${host} are not encrypted (sslmode=${sslmode}): others on the network can read passwords and answers.`,
      'Set ssl = on in PostgreSQL, and add ?sslmode=verify-full&sslrootcert=FILE to DATABASE_URL. Behind a pooler, this shows its own connection to PostgreSQL.',
    )
}
