// The proxies that Debian has, and how to start each with its configuration in deploy/proxies.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A reverse proxy. */
export interface ReverseProxy {
  /** The package of Debian, and its program. */
  package: string
  program: string
  /** The file in deploy/proxies, and the texts in it that name ports and addresses. */
  file: string
  replace(port: number, upstream: number): readonly (readonly [string, string])[]
  /** Returns the arguments of the program. @param file the configuration, with replaced ports */
  args(file: string, folder: string, port: number): string[]
  version: string[]
  /** Mistakes in the configuration: a text, its replacement, and the check of `canvass doctor` that names the mistake. */
  mistakes?: readonly (readonly [string, string, string])[]
  /** Whether the proxy shows a client that the service has ended a reply halfway. */
  showsBrokenReplies: boolean
}

/** The proxies by name. */
export const proxies: Readonly<Record<string, ReverseProxy>> = {
  nginx: {
    package: 'nginx',
    program: '/usr/sbin/nginx',
    file: 'nginx.conf',
    replace: (port, upstream) => [
      ['listen 80;', `listen 127.0.0.1:${port};`],
      ['server 127.0.0.1:8080;', `server 127.0.0.1:${upstream};`],
    ],
    args: (file, folder) => {
      const main = path.join(folder, 'main.conf')
      const http = `http { access_log off; error_log ${folder}/error.log; include ${file}; }`
      writeFileSync(main, `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\n${http}\n`)
      return ['-c', main]
    },
    version: ['-v'],
    mistakes: [
      ['proxy_set_header Host $host', 'proxy_set_header Host upstream', 'host'],
      ['$proxy_add_x_forwarded_for', 'unknown', 'forwarded'],
      ['proxy_set_header X-Forwarded-Proto $scheme;', '', 'protocol'],
      ['proxy_http_version 1.1', 'proxy_http_version 1.0', 'version'],
      ['client_max_body_size 0;', '', 'bodies'],
    ],
    showsBrokenReplies: true,
  },
  apache: {
    package: 'apache2',
    program: '/usr/sbin/apache2',
    file: 'apache.conf',
    replace: (port, upstream) => [
      ['<VirtualHost *:80>', `<VirtualHost *:${port}>`],
      ['http://127.0.0.1:8080/', `http://127.0.0.1:${upstream}/`],
    ],
    args: (file, folder, port) => {
      const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers', 'filter', 'deflate']
      const main = [
        ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
        ...[
          `ServerRoot ${folder}`,
          `PidFile ${folder}/pid`,
          `ErrorLog ${folder}/error.log`,
          `Mutex file:${folder} default`,
        ],
        ...['User www-data', 'Group www-data', 'ServerName localhost', `Listen 127.0.0.1:${port}`, `Include ${file}`],
      ]
      writeFileSync(path.join(folder, 'main.conf'), `${main.join('\n')}\n`)
      return ['-D', 'FOREGROUND', '-f', path.join(folder, 'main.conf')]
    },
    version: ['-v'],
    showsBrokenReplies: true,
  },
  caddy: {
    package: 'caddy',
    program: '/usr/bin/caddy',
    file: 'Caddyfile',
    replace: (port, upstream) => [
      ['surveys.example.org {', `http://127.0.0.1:${port} {`],
      ['reverse_proxy 127.0.0.1:8080', `reverse_proxy 127.0.0.1:${upstream}`],
    ],
    args: (file) => {
      writeFileSync(file, `{\n\tadmin off\n}\n${readFileSync(file, 'utf8')}`)
      return ['run', '--adapter', 'caddyfile', '--config', file]
    },
    version: ['version'],
    // 2.6.2 ends the reply to the client in an orderly way (findings/caddy-broken-replies.sh).
    showsBrokenReplies: false,
  },
  haproxy: {
    package: 'haproxy',
    program: '/usr/sbin/haproxy',
    file: 'haproxy.cfg',
    replace: (port, upstream) => [
      ['bind :80\n', `bind 127.0.0.1:${port}\n`],
      ['server one 127.0.0.1:8080', `server one 127.0.0.1:${upstream}`],
    ],
    args: (file) => ['-db', '-f', file],
    version: ['-v'],
    showsBrokenReplies: true,
  },
}
