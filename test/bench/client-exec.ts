import { Berth } from '../../runtime/client/index.ts';

// The call that `berth exec` makes, by a program that someone wrote with the client: node client-exec.ts CONVERSATION CMD …

const { BERTH_URL = '', BERTH_API_KEY = '' } = process.env;
const [conversation = '', ...cmd] = process.argv.slice(2);
const berth = new Berth({ url: BERTH_URL, key: BERTH_API_KEY });
const { exit_code, stdout } = await berth.conversation(conversation).exec(cmd);
process.stdout.write(stdout);
process.exitCode = exit_code ?? 1;
