import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/**
 * How long ARX takes to find the best node of a lattice, warm.
 *
 * java -cp libarx.jar SearchTime.java TABLE HIERARCHIES QUASI[,QUASI...] K T SENSITIVE SUPPRESS RUNS
 *
 * K 0: no k-anonymity. SENSITIVE "-": no t-closeness. Prints what bench/clock.py reads.
 */
public class SearchTime {

    public static void main(String[] given) throws Exception {
        double best = Double.MAX_VALUE, processor = Double.MAX_VALUE;
        String loss = null;
        int runs = Integer.parseInt(given[7]);
        for (int run = 0; run <= runs; run++) { // the first one warms up
            Data data = Data.create(given[0], StandardCharsets.UTF_8, ',');
            String sensitive = given[5].equals("-") ? null : given[5];
            for (String name : given[2].split(",")) {
                String file = given[1] + "/hierarchy_" + name + ".csv";
                data.getDefinition().setAttributeType(
                    name, Hierarchy.create(file, StandardCharsets.UTF_8, ';'));
            }
            ARXConfiguration asked = ARXConfiguration.create();
            if (Integer.parseInt(given[3]) > 0) {
                asked.addPrivacyModel(new KAnonymity(Integer.parseInt(given[3])));
            }
            if (sensitive != null) {
                data.getDefinition().setAttributeType(
                    sensitive, AttributeType.SENSITIVE_ATTRIBUTE);
                asked.addPrivacyModel(
                    new EqualDistanceTCloseness(sensitive, Double.parseDouble(given[4])));
            }
            asked.setSuppressionLimit(Double.parseDouble(given[6]));
            asked.setQualityModel(Metric.createLossMetric());
            long wall = System.nanoTime(), before = processor();
            ARXResult result = new ARXAnonymizer().anonymize(data, asked);
            double seconds = (System.nanoTime() - wall) / 1e9;
            if (run > 0) {
                best = Math.min(best, seconds);
                processor = Math.min(processor, (processor() - before) / 1e9);
            }
            loss = result.isResultAvailable()
                ? result.getGlobalOptimum().getLowestScore().toString() : "null";
        }
        System.out.println("{\"seconds\": " + best + ", \"cpu\": " + processor + ", \"memory\": "
            + memory() + ", \"runs\": " + runs + ", \"detail\": {\"loss\": [" + loss + "]}}");
    }

    private static long processor() {
        return ((com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long memory() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        return 0;
    }
}
