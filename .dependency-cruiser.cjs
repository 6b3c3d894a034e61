// The layers of the system: dependencies point down. `npm run check` proves it.

/** Files below runtime/, apart from those named. */
const runtimeExcept = (...parts) => ({ path: '^runtime/', pathNot: parts });
const packageNamed = (name) => `(^|/)node_modules/${name}/`;
/** Where the parts are put together: the only place that knows every adapter. */
const assembly = [
  '^runtime/build-runtime\\.ts$',
  '^runtime/assembly/',
  '^runtime/main\\.ts$',
  '^runtime/cli/',
];
const ports = '^runtime/(containers|state|database|objects)/';
const columns = ['conversations', 'workspaces', 'functions'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Two files that need each other, even for types only, are one thing or have a third in common.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      // The editor's server, and the runtime, put packages there for their pages.
      to: { couldNotResolve: true, pathNot: '^\\.\\.?/vendor/' },
    },
    {
      name: 'contracts-import-nothing',
      comment: 'All that infra, images and the runtime share: it runs anywhere.',
      severity: 'error',
      from: { path: '^runtime/contracts/' },
      to: { pathNot: '^runtime/contracts/' },
    },
    {
      name: 'agent-is-self-contained',
      comment: "The agent goes into images alone: Node's modules, its own files, types of the contracts.",
      severity: 'error',
      from: { path: '^images/[^/]+/agent/' },
      to: { pathNot: ['^images/[^/]+/agent/', '^runtime/contracts/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'port-is-self-contained',
      comment: 'It goes into images too, and stands on what the agent has for the same ends.',
      severity: 'error',
      from: { path: '^images/[^/]+/port/' },
      to: { pathNot: ['^images/[^/]+/(port|agent/egress)/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'agent-takes-types-only',
      comment: 'What it takes of the contracts is gone once types are stripped.',
      severity: 'error',
      from: { path: '^images/[^/]+/agent/' },
      to: { path: '^runtime/contracts/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'editor-is-self-contained',
      comment: "Its server goes into an image alone: Node's modules, its own files, WebSockets.",
      severity: 'error',
      from: { path: '^images/workspace-editor/server/' },
      to: {
        pathNot: ['^images/workspace-editor/server/', packageNamed('ws'), packageNamed('@types/ws')],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'function-worker-is-self-contained',
      comment: "It goes into an image alone: Node's modules and its own files.",
      severity: 'error',
      from: { path: '^images/function-node/server/' },
      to: { pathNot: ['^images/function-node/server/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'page-is-self-contained',
      comment: 'A browser finds only what lies beside it.',
      severity: 'error',
      from: { path: '^images/workspace-editor/page/[^/]+\\.js$' },
      to: { pathNot: ['^images/workspace-editor/page/', '^\\./vendor/'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'dashboard-page-is-self-contained',
      comment: 'A browser finds only what lies beside it; types of the client keep it true to the API.',
      severity: 'error',
      from: { path: '^runtime/dashboard/page/.+\\.js$' },
      to: { pathNot: ['^runtime/dashboard/page/', '^\\.\\./vendor/'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-is-self-contained',
      comment: "It goes to users alone, and runs in browsers: its own files, and not even Node's modules.",
      severity: 'error',
      from: { path: '^runtime/client/' },
      to: { pathNot: '^runtime/client/' },
    },
    {
      name: 'client-is-for-users',
      comment:
        'The runtime does not call itself. The command is a user: it asks a service, perhaps far away.',
      severity: 'error',
      from: runtimeExcept('^runtime/client/', '^runtime/cli/', '^runtime/dashboard/page/'),
      to: { path: '^runtime/client/' },
    },
    {
      name: 'http-on-top',
      comment: 'Nothing below http knows HTTP.',
      severity: 'error',
      from: runtimeExcept('^runtime/http/', ...assembly),
      to: { path: '^runtime/http/' },
    },
    {
      name: 'express-in-http-only',
      severity: 'error',
      from: runtimeExcept('^runtime/http/'),
      to: { path: [packageNamed('express'), packageNamed('@types/express')] },
    },
    {
      name: 'marked-for-documentation-only',
      severity: 'error',
      from: { pathNot: ['^runtime/http/documentation/', '^test/'] },
      to: { path: packageNamed('marked') },
    },
    {
      name: 'dockerode-in-its-adapter-only',
      severity: 'error',
      from: { pathNot: ['^runtime/containers/docker/', '^images/', '^test/'] },
      to: { path: [packageNamed('dockerode'), packageNamed('@types/dockerode')] },
    },
    {
      name: 'ioredis-in-its-adapter-only',
      severity: 'error',
      from: { pathNot: ['^runtime/state/redis/', '^test/'] },
      to: { path: packageNamed('ioredis') },
    },
    {
      name: 'pg-in-its-adapter-only',
      severity: 'error',
      from: { pathNot: ['^runtime/database/postgres/', '^test/'] },
      to: { path: [packageNamed('pg'), packageNamed('@types/pg')] },
    },
    {
      name: 'aws-sdk-in-its-adapter-only',
      severity: 'error',
      from: {
        pathNot: [
          '^runtime/objects/s3/',
          '^runtime/containers/ecs/',
          '^runtime/egress-host/bedrock-credentials.ts',
          '^infra/ecs/sweeper-function/',
          '^test/',
        ],
      },
      to: { path: packageNamed('@aws-sdk') },
    },
    {
      name: 'adapters-by-their-ports',
      comment:
        'Above the ports nobody knows which adapter it is; adapters of one port do not know each other.',
      severity: 'error',
      from: runtimeExcept(...assembly, `${ports}[^/]+/`),
      to: { path: `${ports}[^/]+/` },
    },
    {
      name: 'adapters-apart',
      severity: 'error',
      from: { path: '^runtime/(containers|state|database|objects)/([^/]+)/' },
      to: {
        path: `${ports}[^/]+/`,
        pathNot: '^runtime/$1/$2/',
      },
    },
    ...columns.map((column) => ({
      name: `${column}-stand-alone`,
      comment: 'The three columns do not import each other.',
      severity: 'error',
      from: { path: `^runtime/${column}/` },
      to: { path: `^runtime/(${columns.filter((other) => other !== column).join('|')})/` },
    })),
    {
      name: 'ports-below-columns',
      severity: 'error',
      from: { path: ports },
      to: { path: `^runtime/(${[...columns, 'pool', 'sweep', 'http'].join('|')})/` },
    },
    {
      name: 'egress-is-small',
      comment: 'The proxy is also a sidecar: contracts, the HTTP client and its own folder.',
      severity: 'error',
      from: { path: '^runtime/egress/' },
      to: { path: '^runtime/', pathNot: ['^runtime/(egress|http1|contracts|identity)/'] },
    },
    {
      name: 'http1-is-a-library',
      comment: 'It knows bytes and connections, and nothing of who asks.',
      severity: 'error',
      from: { path: '^runtime/http1/' },
      to: { path: '^runtime/', pathNot: ['^runtime/http1/'] },
    },
    {
      name: 'runtime-stands-alone',
      comment: 'The runtime ships without tests, image builds and infrastructure.',
      severity: 'error',
      from: { path: '^runtime/' },
      to: { path: ['^test/', '^images/', '^infra/'] },
    },
    {
      name: 'infra-takes-contracts-only',
      severity: 'error',
      from: { path: '^infra/' },
      to: { path: ['^runtime/', '^images/', '^test/'], pathNot: '^runtime/contracts/' },
    },
    {
      name: 'no-dev-dependencies-in-runtime',
      severity: 'error',
      from: { path: ['^runtime/', '^infra/'] },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: packageNamed('@types'),
      },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
    skipAnalysisNotInRules: true,
  },
};
