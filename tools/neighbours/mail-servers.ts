// Postfix, Exim and Dovecot from the packages of Debian. The packages are unpacked, not installed: they exclude each other, and the
// mail server of the machine, its users and its settings stay as they are.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A running mail server on a loopback port. Unknown recipients of example.test are accepted, and come back. */
export interface MailServerProcess {
  port: number
  /** Returns the files of the messages to a recipient of example.test. */
  messagesTo(name: string): string[]
  /** The folder with a Maildir for each of these names. */
  mail: string
  log(): string
  stop(): Promise<void>
}

export interface MailServerOptions {
  /** An empty folder. */
  folder: string
  port: number
  /** Recipients of example.test with a mailbox. */
  names: readonly string[]
  /** Where mail to bounces@example.org goes: an LMTP port, or a command. */
  bounces: { lmtpPort: number } | { command: string }
}

const START_LIMIT_MS = 20_000
/** Users and groups of every Debian that own nothing here. */
const OWNER = 'news'
const SUBMISSION_GROUP = 'games'
const MAILBOX_USER = 'mail'

/** Downloads a package of Debian with the libraries that the machine lacks, and unpacks them, once. @returns the folder */
function unpack(name: string): string {
  const folder = path.resolve('build/debian', name)
  if (existsSync(folder)) return folder
  const archives = `${folder}.archives`
  mkdirSync(`${archives}/partial`, { recursive: true })
  const options = ['Debug::NoLocking=1', `Dir::Cache::archives=${archives}`].flatMap((option) => ['-o', option])
  const download = ['install', '--yes', '--reinstall', '--download-only', '--no-install-recommends', ...options, name]
  execFileSync('apt-get', download, { stdio: 'pipe' })
  for (const archive of globSync(`${archives}/*.deb`)) execFileSync('dpkg-deb', ['-x', archive, `${folder}.new`])
  execFileSync('mv', [`${folder}.new`, folder])
  return folder
}

const idOf = (option: '-u' | '-g', name: string) => Number(execFileSync('id', [option, name], { encoding: 'utf8' }))

/** Waits until a mail server greets. */
async function waitForGreeting(port: number, isRunning: () => boolean, log: () => string): Promise<void> {
  for (const deadline = Date.now() + START_LIMIT_MS; ; await pause(100)) {
    const socket = connect(port, '127.0.0.1')
    const greeting = await new Promise((resolve) =>
      socket.once('data', resolve).once('error', () => resolve(undefined)),
    )
    socket.destroy()
    if (greeting) return
    if (Date.now() > deadline || !isRunning()) throw new Error(`The mail server did not start: ${log()}`)
  }
}

/** Runs a program in the foreground. */
async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  port: number,
  log: () => string,
): Promise<() => Promise<void>> {
  let output = ''
  const child = spawn(command, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const isRunning = () => child.exitCode === null && child.signalCode === null
  await waitForGreeting(port, isRunning, () => output + log())
  return async () => {
    child.kill('SIGTERM')
    while (isRunning()) await pause(20)
  }
}

const logIn = (file: string) => () => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** Starts Postfix with the TLS settings of its package: STARTTLS with a certificate that nobody knows. */
export async function startPostfix({ folder, port, names, bounces }: MailServerOptions): Promise<MailServerProcess> {
  const root = unpack('postfix')
  const [settings, queue, data, mail] = ['etc', 'spool', 'lib', 'mail'].map((name) => path.join(folder, name))
  for (const name of [settings, queue, data, mail]) mkdirSync(name!, { recursive: true })
  const [owner, group] = [idOf('-u', OWNER), idOf('-g', SUBMISSION_GROUP)]
  for (const name of [
    'active',
    'bounce',
    'corrupt',
    'defer',
    'deferred',
    'flush',
    'hold',
    'incoming',
    'private',
    'saved',
    'trace',
    'pid',
    'public',
    'maildrop',
  ]) {
    mkdirSync(path.join(queue!, name), { mode: name === 'public' || name === 'maildrop' ? 0o730 : 0o700 })
    if (name !== 'pid') chownSync(path.join(queue!, name), owner, name === 'public' || name === 'maildrop' ? group : 0)
  }
  chownSync(data!, owner, 0)
  chownSync(mail!, idOf('-u', MAILBOX_USER), 0)
  const key = ['-keyout', path.join(settings!, 'key.pem'), '-out', path.join(settings!, 'certificate.pem')]
  const subject = ['-subj', '/CN=a-name-of-the-installation', '-days', '30']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...key, ...subject], { stdio: 'pipe' })
  const log = path.join(folder, 'log')
  const library = path.join(root, 'usr/lib/postfix')
  const next = 'lmtpPort' in bounces ? `lmtp:inet:127.0.0.1:${bounces.lmtpPort}` : 'canvass:'
  writeFileSync(
    path.join(settings!, 'main.cf'),
    `compatibility_level = 3.6
queue_directory = ${queue}
data_directory = ${data}
daemon_directory = ${library}/sbin
command_directory = ${root}/usr/sbin
shlib_directory = ${library}
import_environment = MAIL_CONFIG MAIL_LOGTAG TZ LANG=C LD_LIBRARY_PATH=${library}
mail_owner = ${OWNER}
setgid_group = ${SUBMISSION_GROUP}
default_privs = nobody
maillog_file = ${log}
maillog_file_prefixes = ${folder}
myhostname = mx.example.test
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
smtpd_tls_security_level = may
smtpd_tls_loglevel = 1
smtpd_tls_cert_file = ${settings}/certificate.pem
smtpd_tls_key_file = ${settings}/key.pem
recipient_delimiter = +
virtual_mailbox_domains = example.test
virtual_mailbox_base = ${mail}
virtual_mailbox_maps = inline:{ ${names.map((name) => `{${name}@example.test = ${name}/}`).join(', ')} }
virtual_minimum_uid = 1
virtual_uid_maps = static:${idOf('-u', MAILBOX_USER)}
virtual_gid_maps = static:${idOf('-g', MAILBOX_USER)}
smtpd_reject_unlisted_recipient = no
smtpd_recipient_restrictions = check_recipient_access inline:{ {later@example.test = 450 4.2.0 try again later} }, permit_mynetworks, reject
transport_maps = inline:{ {bounces@example.org = ${next}} }
virtual_alias_maps = inline:{ {bounces@example.org = bounces@example.org, returned@example.test} }
`,
  )
  writeFileSync(
    path.join(settings!, 'master.cf'),
    `127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
lmtp unix - - n - - lmtp
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
canvass unix - n n - - pipe flags=R user=nobody argv=${'command' in bounces ? bounces.command : '/bin/false'} \${original_recipient}
`,
  )
  const stop = await run(
    path.join(library, 'sbin/master'),
    ['-d', '-c', settings!],
    { LD_LIBRARY_PATH: library },
    port,
    logIn(log),
  )
  return { port, mail: mail!, messagesTo: (name) => globSync(`${mail}/${name}/new/*`), log: logIn(log), stop }
}

/** Starts Exim. Its user exists only for the process: the lists of users and groups are replaced in its own name space. */
export async function startExim({ folder, port, names, bounces }: MailServerOptions): Promise<MailServerProcess> {
  const root = unpack('exim4-daemon-light')
  const [spool, mail] = ['spool', 'mail'].map((name) => path.join(folder, name))
  const ids = { passwd: 'Debian-exim:x:9:9::/nonexistent:/usr/sbin/nologin', group: 'Debian-exim:x:9:' }
  for (const [name, line] of Object.entries(ids))
    writeFileSync(path.join(folder, name), `${readFileSync(`/etc/${name}`)}${line}\n`)
  for (const name of [spool!, mail!]) mkdirSync(name)
  for (const name of [folder, spool!, mail!]) chownSync(name, idOf('-u', OWNER), idOf('-g', OWNER))
  const transport =
    'command' in bounces
      ? `driver = pipe\n  command = ${bounces.command}\n  temp_errors = 75\n  return_fail_output`
      : `driver = smtp\n  protocol = lmtp\n  hosts = 127.0.0.1\n  port = ${bounces.lmtpPort}\n  allow_localhost`
  const library = path.dirname(globSync(`${root}/usr/lib/*/libidn.so.12`)[0]!)
  // Exim starts itself again for each delivery, without its environment. Without setuid, it delivers as its own user.
  chmodSync(path.join(root, 'usr/sbin/exim4'), 0o755)
  const program = path.join(folder, 'exim')
  writeFileSync(program, `#!/bin/sh\nLD_LIBRARY_PATH=${library} exec ${root}/usr/sbin/exim4 "$@"\n`, { mode: 0o755 })
  const configuration = path.join(folder, 'exim.conf')
  writeFileSync(
    configuration,
    `primary_hostname = mx.example.test
exim_path = ${program}
deliver_drop_privilege
spool_directory = ${spool}
log_file_path = ${folder}/%slog
pid_file_path = ${spool}/pid
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
acl_smtp_rcpt = recipients
acl_smtp_data = messages
keep_environment =
begin acl
recipients:
  defer recipients = later@example.test
        message = 4.2.0 try again later
  accept hosts = 127.0.0.1
messages:
  accept
begin routers
canvass_bounces:
  driver = accept
  domains = example.org
  local_parts = bounces
  local_part_suffix = +*
  local_part_suffix_optional
  transport = canvass
known:
  driver = accept
  domains = example.test
  local_parts = ${names.join(' : ')}
  transport = files
unknown:
  driver = redirect
  allow_fail
  data = :fail: no such user here
begin transports
canvass:
  ${transport}
files:
  driver = appendfile
  directory = ${mail}/$local_part_data/new
  create_directory
begin retry
* * F,1h,10s
`,
  )
  const mounts = Object.keys(ids).map((name) => `mount --bind ${folder}/${name} /etc/${name}`)
  const script = `${mounts.join(' && ')} && exec ${program} -C ${configuration} -bdf -q2s`
  const log = logIn(path.join(folder, 'mainlog'))
  const stop = await run('unshare', ['-m', 'sh', '-c', script], {}, port, log)
  return { port, mail: mail!, messagesTo: (name) => globSync(`${mail}/${name}/new/*`), log, stop }
}

/** Starts Dovecot, whose folders of programs are laid over those of the machine in its own name space. */
export async function startDovecot(folder: string, mail: string, port: number): Promise<() => Promise<void>> {
  const root = unpack('dovecot-imapd')
  const configuration = path.join(folder, 'dovecot.conf')
  const log = path.join(folder, 'log')
  const ids = `uid=${MAILBOX_USER} gid=${MAILBOX_USER}`
  mkdirSync(path.join(folder, 'run'), { recursive: true })
  writeFileSync(
    configuration,
    `base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${log}
protocols = imap
ssl = no
default_internal_user = ${OWNER}
default_internal_group = ${OWNER}
default_login_user = nobody
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = ${ids} home=${mail}/%u
}
mail_location = maildir:${mail}/%u
first_valid_uid = 1
first_valid_gid = 1
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`,
  )
  const script = `mount -t overlay overlay -o lowerdir=${root}/usr:/usr /usr && exec dovecot -F -c ${configuration}`
  return run('unshare', ['-m', 'sh', '-c', script], {}, port, logIn(log))
}
