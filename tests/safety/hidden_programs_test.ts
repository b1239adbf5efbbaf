/** A program in the place of a password: who approves a command must see it, whatever stands before. */

import { assertEquals } from "@std/assert";
import { maskForApproval } from "../../lib/secrets.ts";

const RUN = "evil7Prog2x";
const LONG = "evil7Prog2x8Kq2Lm9Rt4Vw7Yp3";

// Each runs RUN or LONG: the words before it are an option of a wrapper, a host, an image, a file.
// deno-fmt-ignore
const HIDING = [
  `time -o mongo -p ${RUN}`, `time -ao mongo -p ${RUN}`, `/usr/bin/time -o mongo -p ${RUN}`, `A=mongo command -p ${RUN}`,
  `A=mongo time -p ${RUN}`, `cd /tmp; time -o mongo -p ${RUN}`, `time -o \\\nmongo -p ${RUN}`,
  `time -o "a&mongo x " -p ${RUN}`, `time -o 'a;mongo x ' -p ${RUN}`, `time -o a\\;mongo -p ${RUN}`,
  `time 2>&mongo -p ${RUN}`, `time >|mongo -p ${RUN}`, "time -o ${a:-x;mongo y} -p " + RUN,
  `time -o $(echo x;mongo y) -p ${RUN}`, `xargs -I mongo -p ${RUN}`, `ls | xargs -I mongo -p ${RUN}`,
  `docker run mongo time -p ${RUN}`, `docker run --name mongo alpine time -p ${RUN}`, `docker exec mongo time -p ${RUN}`,
  `kubectl exec mongo -- time -p ${RUN}`, `ssh redis-cli -a ${RUN}`, `ssh -l mongo h time -p ${RUN}`,
  `su mongo -p ${RUN}`, `nice -n 5 time -o mongo -p ${RUN}`, `timeout 5 time -o mongo -p ${RUN}`,
  `sudo -u mongo time -p ${RUN}`, `sudo time -o mongo -p ${RUN}`, `env -i time -o mongo -p ${RUN}`,
  `find . -name mongo -exec time -p ${RUN} {} +`, `strace -o mongo time -p ${RUN}`,
  `time -o ldapsearch -p -a ${RUN}`, `env -u sshpass time -p ${RUN}`, `sudo -p rabbitmqctl add_user x ${RUN}`,
  `time -o --password ${RUN}`, `time -o --token ${LONG}`, `env -u --token ${LONG}`, `xargs -I --token ${LONG}`,
  `sudo -p token: ${LONG}`, `sudo -p password: ${RUN}`, `sudo -p "password:" ${RUN}`, `time -f token: ${LONG}`,
  `time -o bearer ${LONG}`, `nice -n --token ${LONG}`, `timeout -s --token 5 ${LONG}`, `exec -a --token ${LONG}`,
  `python3 -W --token ${LONG}`, `perl -I --password ${RUN}`, `node -r --token ${LONG}`, `sudo -u cred ${LONG}`,
  `git ls-files | xargs -I token: ${LONG}`, `stdbuf -o --token ${LONG}`, `flock --token ${LONG}`, `setsid --token ${LONG}`,
  `ssh --token ${LONG}`, `bash -c 'time -o --password ${RUN}'`, `watch -n --token ${LONG}`, `parallel -I --token ${LONG}`,
  `sshpass -p x time -o mysql -p ${RUN}`, `alias mongo=time; mongo -p ${RUN}`, `hash -p /bin/time mongo; mongo -p ${RUN}`,
  `mongo() { time "$@"; }; mongo -p ${RUN}`, `function mongo { time $@; }; mongo -p ${RUN}`,
];
for (const command of HIDING) {
  Deno.test(`approval shows the program of ${JSON.stringify(command)}`, () => {
    assertEquals(maskForApproval(command).text, command);
    // On a screen the same, between other lines.
    const screen = ` Bash command\n\n   ${command}\n   Don't wait\n\n Do you want to proceed?`;
    assertEquals(maskForApproval(screen, "screen").text, screen);
  });
}

// Plain commands, in which what is masked can only be the password.
const SECRET = "8Kq2Lm9Rt4Vw";
for (
  const command of [
    `docker login -u ci -p ${SECRET} r.example.org`,
    `cd web && docker login -u ci -p ${SECRET}`,
    `sudo mongosh -u root -p ${SECRET}`,
    `cd $HOME; redis-cli -h cache -a ${SECRET} ping`,
    `PGHOST=db ldapsearch -D cn=admin -w '${SECRET}'`,
    `echo "it's late" && rabbitmqctl add_user bob ${SECRET}`,
    `tool login --password ${SECRET}`,
    `docker exec db mysql -p${SECRET} shop`,
    `ssh host tool --password=${SECRET}`,
    `ssh host 'curl -u ci:${SECRET} https://example.org'`,
  ]
) {
  Deno.test(`approval masks the password of ${JSON.stringify(command)}`, () => {
    assertEquals(maskForApproval(command).text, command.replace(SECRET, "***"));
  });
}
