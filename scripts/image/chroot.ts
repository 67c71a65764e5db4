import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import type { Image } from './build.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The members of an image that are needed to run a command in it. */
type Place = Pick<Image, 'folder' | 'env' | 'cwd' | 'user'>

/**
 * Returns the arguments of `unshare` that run a command in a chroot, with separate namespaces for mounts and processes.
 */
function argumentsFor({ folder, env, cwd, user }: Place, prepare: string, command: readonly string[]): string[] {
  const [uid, gid = uid] = user.split(':')
  const drop = ['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  const setpriv = uid === '0' ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, ...drop]
  const variables = Object.entries({ PATH, HOME: '/tmp', ...env }).map(([name, value]) => `${name}=${value}`)
  const script = `set -e; root=$1; cwd=$2; shift 2; ${prepare} mount -t proc proc "$root/proc"; exec chroot "$root" env -i --chdir="$cwd" "$@"`
  return ['--mount', '--pid', '--fork', 'sh', '-c', script, 'sh', folder, cwd, ...variables, ...setpriv, ...command]
}

/**
 * Runs a command that can change the image.
 * @throws Error with the output of the command if it fails
 */
export function chroot(image: Place, command: readonly string[]): void {
  try {
    execFileSync('unshare', argumentsFor(image, '', command), { stdio: 'pipe', maxBuffer: 2 ** 26 })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer }
    throw new Error(`${command.join(' ')} fails:\n${stdout}${stderr}`)
  }
}

/**
 * Starts a command as a container with a read-only root file system does: without privileges, with a temporary `/tmp`.
 * @param data a folder of this machine for the volume `/data`
 */
export function startReadOnly(
  image: Image,
  data: string,
  settings: Record<string, string>,
  command = image.command,
): ChildProcess {
  const mounts = `mount --bind "$root" "$root"; mount -o remount,bind,ro "$root"; mount -t tmpfs tmpfs "$root/tmp"; mount --bind '${data}' "$root/data";`
  const place = { ...image, env: { ...image.env, ...settings } }
  return spawn('unshare', argumentsFor(place, mounts, command), { stdio: ['ignore', 'pipe', 'pipe'] })
}
